"""Other processes hold much of the GPU's memory."""

from collections.abc import Iterator

import msgspec

from fitguard import shell
from fitguard.checks.derived.visible_gpus import Visible
from fitguard.checks.framework.fixtures import Missing
from fitguard.checks.framework.registry import check
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Evidence, Finding, Fix, Severity
from fitguard.schema.hardware import Gpu, GpuProcess
from fitguard.words import size

_GIB = 2**30
# A desktop takes up to 1 GiB: less than that is no one's training.
_LEAST_BYTES = _GIB
_LEAST_SHARE = 0.1
# TensorFlow needs some 500 MiB for CUDA's context and its libraries before any tensor.
_NO_ROOM_BYTES = 500 * 2**20
_NO_ROOM_SHARE = 0.05
_SHOWN = 5


class Load(msgspec.Struct, frozen=True):
    """The memory of one GPU that others hold."""

    gpu: Gpu
    memory_bytes: int
    others_bytes: int
    processes: tuple[GpuProcess, ...]

    @property
    def free_bytes(self) -> int:
        """What training could get."""
        return self.memory_bytes - self.others_bytes

    @property
    def severity(self) -> Severity | None:
        """None where others hold little."""
        if self.free_bytes < max(_NO_ROOM_BYTES, _NO_ROOM_SHARE * self.memory_bytes):
            return "error"
        much = max(_LEAST_BYTES, _LEAST_SHARE * self.memory_bytes)
        half_gone = 2 * self.free_bytes < self.memory_bytes
        return "warning" if self.others_bytes >= much or half_gone else None


@check("FG401", "gpu-busy")
def gpu_busy(visible: Visible, facts: Facts) -> Iterator[Finding]:
    """
    ## What it means
    Other processes hold much of this GPU's memory now: another training, a notebook whose kernel
    still runs, a process that hung when its terminal was closed. TensorFlow takes nearly all the
    memory of a GPU at its start, and gives nothing back before the process ends, so a single
    forgotten notebook is enough.

    ## Why training crashes
    *ResourceExhaustedError: OOM when allocating tensor*, *CUDA_ERROR_OUT_OF_MEMORY*, *failed to
    create cublas handle: CUBLAS_STATUS_NOT_INITIALIZED*, *Could not create cudnn handle* or *Failed
    to get convolution algorithm*: with a batch that fits easily on an empty GPU.

    ## How to fix it
    End the processes that are no longer needed: shut the notebook's kernel down, or end them by
    their numbers if they are yours. Or use another GPU with `CUDA_VISIBLE_DEVICES`. Where the GPU
    must be shared, set `TF_FORCE_GPU_ALLOW_GROWTH=true` in all the TensorFlow programs.

    ## When this is wrong
    The figures are of this moment. In a container NVML shows the memory that others hold, but not
    their processes: look on the host. Memory that the driver keeps for itself is not counted. For
    a GPU that is parted with MIG the figures of the whole card say nothing, and it is left out.

    ## References
    - TensorFlow, use a GPU: limiting GPU memory growth
    - NVIDIA NVML reference: nvmlDeviceGetMemoryInfo, running processes
    """
    loads = [load for gpu in visible.gpus if (load := _load(gpu)) is not None]
    if not loads:
        raise Missing("how much GPU memory is in use is not known")
    for load in loads:
        if load.severity is not None:
            yield Finding(
                severity=load.severity,
                title=f"Other processes hold {size(load.others_bytes)} of the "
                f"{size(load.memory_bytes)} of GPU {load.gpu.index}",
                evidence=tuple(_evidence(load)),
                fix=_fix(load, loads, facts),
            )


def _load(gpu: Gpu) -> Load | None:
    if gpu.memory_bytes is None or gpu.used_bytes is None or gpu.mig_enabled:
        return None
    processes = gpu.processes or ()
    own_bytes = sum(process.used_bytes or 0 for process in processes if process.own)
    others = sorted(
        (process for process in processes if not process.own),
        key=lambda process: -(process.used_bytes or 0),
    )
    others_bytes = max(0, gpu.used_bytes - own_bytes)
    return Load(gpu, gpu.memory_bytes, others_bytes, tuple(others))


def _evidence(load: Load) -> Iterator[Evidence]:
    gpu = load.gpu
    yield Evidence(f"GPU {gpu.index}: {size(load.free_bytes)} free for this program", gpu.origin)
    for process in load.processes[:_SHOWN]:
        held = size(process.used_bytes) if process.used_bytes is not None else "an unknown amount"
        yield Evidence(f"process {process.pid} {process.name or ''} holds {held}", gpu.origin)
    if len(load.processes) > _SHOWN:
        yield Evidence(f"and {len(load.processes) - _SHOWN} more processes", gpu.origin)
    if not load.processes:
        yield Evidence("no process shown: it runs in another container or as a ghost", gpu.origin)


def _fix(load: Load, loads: list[Load], facts: Facts) -> Fix:
    free = [other for other in loads if other.severity is None]
    look: tuple[str, ...] = ("nvidia-smi",)
    if load.processes:
        look = shell.list_processes(facts, (process.pid for process in load.processes[:_SHOWN]))
    if free:
        best = max(free, key=lambda other: other.free_bytes)
        return Fix(
            text=f"Train on GPU {best.gpu.index}, which is free, or end the processes that are no "
            "longer needed.",
            commands=(
                *look,
                shell.set_variable(facts, "CUDA_DEVICE_ORDER", "PCI_BUS_ID"),
                shell.set_variable(facts, "CUDA_VISIBLE_DEVICES", str(best.gpu.index)),
            ),
        )
    where = "" if load.processes else " Look on the host: they may run in another container."
    return Fix(
        text="End the processes that are no longer needed, notebooks too, or wait for them. To "
        f"share the GPU, let all of them grow their memory as needed.{where}",
        commands=(*look, shell.set_variable(facts, "TF_FORCE_GPU_ALLOW_GROWTH", "true")),
    )
