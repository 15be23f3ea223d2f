"""There is a GPU, but a setting hides it from this program."""

from collections.abc import Iterator

from fitguard import shell
from fitguard.checks.derived.closed_gpus import find_closed
from fitguard.checks.derived.visible_gpus import Visible
from fitguard.checks.framework.fixtures import Missing
from fitguard.checks.framework.registry import check
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.hardware import Gpu

_VARIABLE = "CUDA_VISIBLE_DEVICES"
_SHARED_NODES = ("/dev/nvidiactl", "/dev/nvidia-uvm")


@check("FG309", "gpu-hidden")
def gpu_hidden(facts: Facts, visible: Visible | None = None) -> Iterator[Finding]:
    """
    ## What it means
    The driver shows a GPU, but this program will not get it. One of these is in the way:
    - `CUDA_VISIBLE_DEVICES` is empty, -1, or names a GPU that is not there. CUDA ignores the first
      wrong entry and all after it.
    - `NVIDIA_VISIBLE_DEVICES` is `none` or `void`, so the container was given no GPU.
    - The compute mode is *Prohibited*, or *Exclusive_Process* while another process is on the GPU.
    - This user may not open the device files under `/dev`.

    ## Why training crashes
    TensorFlow sees no GPU and trains on the CPU: *failed call to cuInit: CUDA_ERROR_NO_DEVICE: no
    CUDA-capable device is detected*. An exclusive GPU that is taken gives *CUDA_ERROR_DEVICE_
    UNAVAILABLE* or *all CUDA-capable devices are busy or unavailable*.

    ## How to fix it
    Unset the variable, or set it to the numbers of existing GPUs, before Python starts. Look also
    into job scripts, notebooks' kernels and the program itself (`os.environ[…]`). Compute modes
    are set by the administrator with `nvidia-smi -c DEFAULT`. For device files: let the
    administrator put the user into the groups video and render, and log in again.

    ## When this is wrong
    Where the CPU is wanted on purpose: ignore this check with `--ignore FG309`. A scheduler (SLURM)
    sets the variable to what the job was given; then ask it for a GPU instead of changing it.

    ## References
    - NVIDIA CUDA C++ Programming Guide: CUDA environment variables
    - NVIDIA Container Toolkit: NVIDIA_VISIBLE_DEVICES
    - nvidia-smi manual: compute mode
    """
    if facts.gpus is None and facts.driver is None:
        raise Missing("the GPU is not known")
    nodes = facts.driver.nodes if facts.driver is not None else ()
    modes = [gpu.compute_mode for gpu in facts.gpus or () if gpu.compute_mode]
    if facts.environment is None and not nodes and not modes:
        raise Missing("no setting is known that could hide it")
    yield from _by_device_files(facts)
    yield from _by_container_variable(facts)
    if visible is not None:
        yield from _by_variable(visible, facts)
        for gpu in visible.gpus:
            yield from _by_compute_mode(gpu)


def _by_variable(visible: Visible, facts: Facts) -> Iterator[Finding]:
    entry = visible.stopped_at
    if entry is None:
        return
    value = (facts.environment or {})[_VARIABLE]
    hidden = "all GPUs" if visible.count == 0 else f"all GPUs from its entry {entry!r} on"
    yield Finding(
        severity="error" if visible.count == 0 else "warning",
        title=f'{_VARIABLE}="{value}" hides {hidden}',
        evidence=(
            Evidence(f"{_VARIABLE}={value}", "environment variable"),
            *(Evidence(f"GPU {gpu.index}: {gpu.name}", gpu.origin) for gpu in facts.gpus or ()),
        ),
        fix=Fix(
            text="Unset it, or name GPUs that exist: their numbers start at 0.",
            commands=("nvidia-smi -L", shell.unset_variable(facts, _VARIABLE)),
        ),
    )


def _by_container_variable(facts: Facts) -> Iterator[Finding]:
    value = (facts.environment or {}).get("NVIDIA_VISIBLE_DEVICES", "")
    host_has_gpu = facts.container is not None and facts.container.host_has_gpu
    # Kubernetes writes `void` even where it passes GPUs in by another way.
    if value not in ("none", "void") or facts.gpus or not host_has_gpu:
        return
    yield Finding(
        title=f'NVIDIA_VISIBLE_DEVICES="{value}" keeps the GPU out of this container',
        evidence=(
            Evidence(f"NVIDIA_VISIBLE_DEVICES={value}", "environment variable"),
            Evidence("the host's kernel has NVIDIA's driver loaded", "/proc/driver/nvidia"),
        ),
        fix=Fix(
            text="Restart the container with NVIDIA_VISIBLE_DEVICES=all (or --gpus all); under "
            "Kubernetes ask for the resource nvidia.com/gpu.",
        ),
    )


def _by_compute_mode(gpu: Gpu) -> Iterator[Finding]:
    closed = find_closed(gpu)
    if closed is None:
        return
    holders = (f"process {item.pid} {item.name or ''}" for item in closed.holders[:3])
    yield Finding(
        title=f"GPU {gpu.index} {closed.why}",
        evidence=(
            Evidence(f"compute mode {gpu.compute_mode}", gpu.origin),
            *(Evidence(holder, gpu.origin) for holder in holders),
        ),
        fix=Fix(
            text="Wait for the other process, use another GPU, or ask the administrator for the "
            f"compute mode Default (nvidia-smi -i {gpu.index} -c DEFAULT, as root).",
            commands=(f"nvidia-smi -i {gpu.index} -q -d COMPUTE,PIDS",),
        ),
    )


def _by_device_files(facts: Facts) -> Iterator[Finding]:
    nodes = facts.driver.nodes if facts.driver is not None else ()
    shared = [node for node in nodes if node.path in _SHARED_NODES]
    own = [node for node in nodes if node.path not in _SHARED_NODES]
    closed = [node for node in shared if not node.accessible]
    if own and not any(node.accessible for node in own):
        closed += own
    if not closed:
        return
    yield Finding(
        title=f"This user may not open {closed[0].path}, so no GPU can be used",
        evidence=tuple(Evidence(f"{node.path}: no permission", node.path) for node in closed),
        fix=Fix(
            text="Have the administrator put this user into the groups that own the files (video, "
            "render), then log in again. In a container, start it as a user in these groups.",
            commands=shell.posix_only(facts, "ls -l /dev/nvidia*", "id"),
        ),
    )
