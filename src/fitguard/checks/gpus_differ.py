"""The GPUs that would train together are not alike."""

from fitguard import shell
from fitguard.checks.derived.visible_gpus import Visible
from fitguard.checks.framework.fixtures import Missing
from fitguard.checks.framework.registry import check
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.hardware import Gpu
from fitguard.words import size

# Cards of one kind differ by what the driver reserves.
_SAME_SHARE = 0.05


@check("FG314", "gpus-differ")
def gpus_differ(visible: Visible, facts: Facts) -> Finding | None:
    """
    ## What it means
    Several GPUs are visible, and they differ in kind, memory or compute capability. A strategy such
    as `MirroredStrategy()` takes all of them, and gives each the same part of each batch.

    ## Why training crashes
    The smallest GPU decides what fits: it runs out of memory (*ResourceExhaustedError*) while the
    others have room. The slowest decides the speed: the others wait for it in each step. A small
    GPU that drives a display can make training on two slower than on one. GPUs of different
    generations choose different kernels, so replicas round differently.

    ## How to fix it
    Show the training only GPUs that are alike, with `CUDA_VISIBLE_DEVICES`, or name them:
    `MirroredStrategy(["GPU:0", "GPU:1"])`. For a plan, give `fitguard plan --gpu` the smallest.

    ## When this is wrong
    A training without a strategy uses one GPU, and loses nothing. It takes the first, which CUDA
    takes for the fastest.

    ## References
    - TensorFlow: `tf.distribute.MirroredStrategy`
    - Not tried: no machine with two kinds of GPUs was at hand
    """
    if visible.count < 2:
        raise Missing("fewer than two GPUs are visible")
    gpus = visible.gpus
    memory = [gpu.memory_bytes for gpu in gpus if gpu.memory_bytes]
    uneven = bool(memory) and min(memory) < (1 - _SAME_SHARE) * max(memory)
    mixed = len({gpu.compute_capability for gpu in gpus if gpu.compute_capability}) > 1
    if not uneven and not mixed and len({gpu.name for gpu in gpus if gpu.name}) < 2:
        return None
    smallest = f": the smallest has {size(min(memory))}, and decides" if uneven else ""
    return Finding(
        severity="warning" if uneven or mixed else "info",
        title=f"{len(gpus)} GPUs that are not alike would train together{smallest}",
        evidence=tuple(Evidence(_describe(gpu), gpu.origin or "GPU") for gpu in gpus),
        fix=Fix(
            text="Show the training only GPUs that are alike, before Python starts. Another number "
            "of replicas gives other sums.",
            commands=_show_alike(gpus, facts),
            changes_results=True,
        ),
    )


def _describe(gpu: Gpu) -> str:
    parts = [
        f"GPU {gpu.index}: {gpu.name or 'unknown'}",
        size(gpu.memory_bytes) if gpu.memory_bytes else "",
        f"compute capability {gpu.compute_capability}" if gpu.compute_capability else "",
    ]
    return ", ".join(part for part in parts if part)


def _show_alike(gpus: tuple[Gpu, ...], facts: Facts) -> tuple[str, ...]:
    """The largest group of one kind; of equal groups, that with the most memory."""
    groups: dict[str | None, list[Gpu]] = {}
    for gpu in gpus:
        groups.setdefault(gpu.name, []).append(gpu)
    best = max(groups.values(), key=lambda group: (len(group), group[0].memory_bytes or 0))
    identifiers = [gpu.uuid for gpu in best if gpu.uuid]
    if len(identifiers) == len(best):
        return (shell.set_variable(facts, "CUDA_VISIBLE_DEVICES", ",".join(identifiers)),)
    numbers = ",".join(str(gpu.index) for gpu in best)
    return (
        shell.set_variable(facts, "CUDA_DEVICE_ORDER", "PCI_BUS_ID"),
        shell.set_variable(facts, "CUDA_VISIBLE_DEVICES", numbers),
    )
