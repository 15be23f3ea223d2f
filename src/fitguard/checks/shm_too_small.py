"""There is little shared memory, which NCCL and worker processes need."""

from fitguard import shell
from fitguard.checks.derived.visible_gpus import Visible
from fitguard.checks.framework.registry import check
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.hardware import Container, Host
from fitguard.words import size

# What docker and Kubernetes give where nobody asks for more.
_DEFAULT_BYTES = 64 * 2**20


@check("FG702", "shm-too-small")
def shm_too_small(
    container: Container, host: Host, facts: Facts, visible: Visible | None = None
) -> Finding | None:
    """
    ## What it means
    Processes of one machine exchange data through `/dev/shm`. Docker and Kubernetes make it 64 MiB
    large unless they are told otherwise. Training on several GPUs (NCCL) and loading data with
    several worker processes need more. A file system that is large enough can be full: processes
    that were killed leave their segments there.

    ## Why training crashes
    NCCL stops with *unhandled system error* and *Error while creating shared memory segment
    /dev/shm/nccl-…, No space left on device*. Worker processes die with *Bus error* (SIGBUS, exit
    code 135), or the input hangs.

    ## How to fix it
    Start the container with more: `docker run --shm-size=8g …`, or with the host's by `--ipc=host`.
    In docker compose: `shm_size: 8gb`. In Kubernetes mount a volume at `/dev/shm`:
    `emptyDir: {medium: Memory, sizeLimit: 8Gi}`; it counts against the pod's memory limit.

    ## When this is wrong
    On a single GPU, with data read by `tf.data` (threads, not processes), 64 MiB are enough. Then
    this is for information only.

    ## References
    - NVIDIA NCCL documentation: troubleshooting, shared memory
    - Docker documentation: docker run, --shm-size and --ipc
    """
    if host.shm_bytes is None or facts.gpus == ():
        return None
    several = visible is not None and visible.count > 1
    if several and host.shm_bytes > _DEFAULT_BYTES:
        return _judge_rest(host, facts)
    if container.runtime is None or host.shm_bytes > _DEFAULT_BYTES:
        return None
    who = f"{visible.count} GPUs" if visible is not None and several else "worker processes"
    return Finding(
        severity="warning" if several else "info",
        title=f"/dev/shm has {size(host.shm_bytes)}, too little for {who} in a container",
        evidence=(
            Evidence(f"{size(host.shm_bytes)} in all", "/dev/shm"),
            Evidence(f"container: {container.runtime}", container.evidence or "file system"),
        ),
        fix=_fix(container.runtime, facts),
    )


def _judge_rest(host: Host, facts: Facts) -> Finding | None:
    """It is large enough, but full."""
    free = host.shm_free_bytes
    if free is None or free > _DEFAULT_BYTES:
        return None
    return Finding(
        severity="warning",
        title=f"/dev/shm is nearly full: {size(free)} are left for several GPUs",
        evidence=(Evidence(f"{size(free)} free of {size(host.shm_bytes or 0)}", "/dev/shm"),),
        fix=Fix(
            text="See what fills it. Files named nccl-… or torch_… of processes that have ended "
            "can be removed.",
            commands=shell.posix_only(facts, "df -h /dev/shm", "ls -lt /dev/shm"),
        ),
    )


def _fix(runtime: str, facts: Facts) -> Fix:
    if runtime == "kubernetes":
        return Fix(
            text="Mount a volume at /dev/shm in the pod: emptyDir with medium: Memory and "
            "sizeLimit: 8Gi.",
        )
    name = runtime if runtime in ("docker", "podman") else "docker"
    return Fix(
        text=f"Restart the container with {name} run --shm-size=8g, or with --ipc=host.",
        commands=shell.posix_only(facts, "df -h /dev/shm"),
    )
