"""Text goes into a model with several replicas."""

from fitguard.checks.data.derived.replicas import draws_to_build, quote_strategy
from fitguard.checks.data.derived.wording import join_names
from fitguard.checks.framework.fixtures import Missing
from fitguard.checks.framework.registry import check
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.model import ModelFacts


@check("FG683", "text-replicas")
def text_replicas(model: ModelFacts) -> Finding | None:
    """
    ## What it means
    An input of the model takes strings, and a strategy splits batches among several replicas.
    Before the first step, Keras 3 averages the parts of one batch over the replicas, to see its
    shape. Strings have no average.

    ## Why training crashes
    `fit` stops at once: *Value for attr 'T' of string is not in the list of allowed values*.

    ## How to fix it
    Turn text into numbers in the pipeline: `dataset.map(lambda text, y: (lookup(text), y))`, with
    the same StringLookup or TextVectorization layer, and give the model integers. The numbers that
    reach the next layer are the same. For use after training, put that layer and the model together
    into one `keras.Sequential`.

    ## When this is wrong
    tf_keras and Keras before 3.5 take text with several replicas. This check says nothing there.

    ## References
    - Keras source: `TensorFlowTrainer._maybe_symbolic_build`
    - Tried with TensorFlow 2.21, Keras 3.15 and tf_keras 2.21 on two virtual CPUs
    """
    if model.replicas == 1 or not draws_to_build(model):
        raise Missing("Keras does not average batches for this model")
    names = [one.name for one in model.inputs or () if one.dtype == "string"]
    if not names:
        return None
    return Finding(
        title=f"Text in {join_names(names)} cannot be split among {model.replicas} replicas",
        evidence=(
            Evidence("dtype string", f"model, {join_names(names)}"),
            quote_strategy(model),
        ),
        fix=Fix("Turn the text into numbers in the pipeline, and give the model integers."),
    )
