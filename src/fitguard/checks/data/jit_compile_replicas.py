"""XLA shall compile the step of several replicas that are CPUs."""

from fitguard.checks.data.derived.replicas import quote_strategy
from fitguard.checks.framework.fixtures import Missing
from fitguard.checks.framework.registry import check
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.model import ModelFacts


@check("FG682", "jit-compile-replicas")
def jit_compile_replicas(model: ModelFacts) -> Finding | None:
    """
    ## What it means
    The model was compiled with `jit_compile=True`, under a strategy with several replicas that are
    CPUs. XLA compiles the step for the first of them, and finds the variables of the others on
    another device.

    ## Why training crashes
    The first step stops with *InvalidArgumentError: Trying to access resource … located in device
    /job:localhost/replica:0/task:0/device:CPU:1 from device …/device:CPU:0*.

    ## How to fix it
    Leave `jit_compile` out of `compile`: under a strategy the default, "auto", does not compile.
    Sums may then round differently in the last bits than with XLA.

    ## When this is wrong
    With replicas on GPUs this check says nothing: XLA compiles for each GPU. That was not tried
    here on several GPUs.

    ## References
    - TensorFlow: XLA, known issues, *tf.Variable on a different device*
    - Tried with TensorFlow 2.21, Keras 3.15 and tf_keras 2.21, on one and two virtual CPUs
    """
    if model.replicas == 1:
        raise Missing("the model has one replica")
    if model.replica_devices is None:
        raise Missing("whether the replicas are GPUs is not known")
    if model.replica_devices != "CPU" or not model.jit_compile_here:
        return None
    return Finding(
        title=f"jit_compile=True fails with {model.replicas} replicas on CPUs",
        evidence=(Evidence("jit_compile=True", "model, compile"), quote_strategy(model)),
        fix=Fix("Leave jit_compile out of compile.", changes_results=True),
    )
