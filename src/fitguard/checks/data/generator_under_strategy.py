"""A Python generator is read under a strategy, and some of its batches are lost."""

from collections.abc import Iterator

from fitguard.checks.data.derived.replicas import draws_to_build, quote_strategy
from fitguard.checks.framework.fixtures import Missing
from fitguard.checks.framework.registry import check
from fitguard.schema.data import DataFacts
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.model import ModelFacts


@check("FG680", "generator-under-strategy")
def generator_under_strategy(data: DataFacts, model: ModelFacts) -> Iterator[Finding]:
    """
    ## What it means
    Before the first step, Keras 3 takes a batch from the data to see its shape, if the model was
    made under a strategy. Meanwhile the strategy reads a few batches ahead. Data that can be read
    again begin anew after that. A Python generator cannot: these batches are gone.

    ## Why training crashes
    It does not crash. It trains on other data than you gave it: of the batches 0, 1, 2, … of a
    generator, three steps on two replicas saw 0, 1 and 6. How many are lost changes with the number
    of replicas and with the speed of the machine, so two runs differ. A generator that gives
    exactly as many batches as there are steps runs out before the end.

    ## How to fix it
    Give `fit` a dataset that makes the generator anew each time it is read:
    `tf.data.Dataset.from_generator(make_batches, output_signature=…)`, where `make_batches` is the
    function, not the generator that it returns. Or write a `keras.utils.PyDataset`.

    ## When this is wrong
    It holds for every strategy, one with a single device too. tf_keras, Keras before 3.5, and
    models that were made outside of a strategy lose nothing, and this check says nothing.

    ## References
    - Keras source: `TensorFlowTrainer._maybe_symbolic_build`
    - Tried with TensorFlow 2.21, Keras 3.15 and tf_keras 2.21 on one and two virtual CPUs
    """
    if not draws_to_build(model):
        raise Missing("Keras takes no batch ahead of the training for this model")
    for source in data.sources:
        if source.kind != "generator" or source.container != "generator":
            continue
        yield Finding(
            title=f"Batches of the {source.split} generator are lost under "
            f"{model.strategy or 'a strategy'}: Keras reads ahead, and cannot go back",
            evidence=(
                Evidence("a Python generator", f"{source.split} data"),
                quote_strategy(model),
            ),
            fix=Fix(
                "Give fit tf.data.Dataset.from_generator(make_batches, output_signature=…), with "
                "the function that makes the generator.",
                changes_results=True,
            ),
        )
