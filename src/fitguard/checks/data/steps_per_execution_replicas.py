"""Several steps in one execution do not work with several replicas."""

from fitguard.checks.data.derived.generation import is_keras_2
from fitguard.checks.data.derived.replicas import quote_strategy
from fitguard.checks.framework.fixtures import Missing
from fitguard.checks.framework.registry import check
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.model import ModelFacts


@check("FG681", "steps-per-execution-replicas")
def steps_per_execution_replicas(model: ModelFacts) -> Finding | None:
    """
    ## What it means
    The model was compiled with `steps_per_execution` above 1, and a strategy splits its batches
    among several replicas. Keras 3 writes these steps as a loop in the graph, and TensorFlow cannot
    run that loop on several devices.

    ## Why training crashes
    The first execution stops with *InvalidArgumentError: You must feed a value for placeholder
    tensor 'while/cond/Placeholder_1'*.

    ## How to fix it
    Leave `steps_per_execution` out, or set it to 1. The weights stay the same: the setting only
    saves time between steps. If steps are so short that this time counts, larger batches help more.

    ## When this is wrong
    tf_keras trains with such a setting, and this check says nothing there. It was tried on virtual
    CPUs, not on several GPUs.

    ## References
    - Keras: `Model.compile`, argument `steps_per_execution`
    - Tried with TensorFlow 2.21, Keras 3.15 and tf_keras 2.21, on one and two virtual CPUs
    """
    if model.replicas == 1:
        raise Missing("the model has one replica")
    if model.steps_per_execution <= 1 or is_keras_2(model):
        return None
    return Finding(
        title=f"steps_per_execution={model.steps_per_execution} fails with {model.replicas} "
        "replicas",
        evidence=(
            Evidence(f"steps_per_execution={model.steps_per_execution}", "model, compile"),
            quote_strategy(model),
        ),
        fix=Fix("Leave steps_per_execution out of compile. The weights stay the same."),
    )
