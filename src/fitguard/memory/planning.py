"""`fitguard.plan`: will it fit, and which batch should I use?"""

from typing import Any, Literal

from fitguard.facts import nvml
from fitguard.memory.cards import Size, card
from fitguard.memory.drafting import Draft
from fitguard.memory.measuring.measurements import Measurements
from fitguard.memory.measuring.request import Script
from fitguard.memory.preparation import prepare
from fitguard.schema.plan import Plan


def plan(
    model: Any,
    batch_size: int | None = None,
    x: Any = None,
    y: Any = None,
    *,
    sample_weight: Any = None,
    class_weight: dict[int, float] | None = None,
    optimizer: Any = None,
    loss: Any = None,
    gpu: str | None = None,
    gpu_memory: Size | None = None,
    free: Size | None = None,
    jit_compile: bool | Literal["auto"] = "auto",
    strategy: Any = None,
    replicas: int | None = None,
    measure: bool | Script = False,
    advice: bool | Literal["full"] = True,
) -> Plan:
    """What a training step needs of a GPU's memory, told on the CPU and without running it.

    Nothing of the model changes.

    Args:
        model: A Keras model, compiled or not; or a function that is a training step, with x as
            its arguments.
        batch_size: As `fit` will be given it.
        x, y, sample_weight: As for `fit`, or shapes; the model tells them where it can.
        optimizer, loss: In place of those that the model was compiled with.
        gpu: The name of the card: `RTX 3060`.
        gpu_memory, free: The size of its memory, and what is free of it: bytes, or `8GiB`.
        jit_compile: Whether XLA compiles the step; `auto`: as Keras decides on a GPU.
        strategy, replicas: A `tf.distribute` strategy, or over how many GPUs one spreads a batch.
        measure: Whether to run the step on the GPU here, in child processes under memory limits.
        advice: Whether to work out what would help; `full`: everything, however long it takes.

    Example:
        >>> fitguard.plan(model, batch_size=64, gpu="RTX 3060").largest_batch_size

    Raises:
        UsageError: Something was given that cannot be planned; the message says what.
    """
    driver = nvml.read()
    gpus = driver.gpus or ()
    chosen = card(gpu, gpu_memory, free, gpus)
    measurements = Measurements(wanted=measure, gpus=gpus, driver=driver.version)
    measurements.require_gpu(chosen)
    with prepare(
        model,
        batch_size,
        x,
        y,
        sample_weight,
        class_weight=class_weight,
        optimizer=optimizer,
        loss=loss,
        jit_compile=jit_compile,
        strategy=strategy,
        replicas=replicas,
    ) as prepared:
        return Draft(prepared, chosen, advice, measurements).plan()
