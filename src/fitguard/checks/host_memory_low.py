"""The machine or the container has little memory left for training."""

from fitguard import shell
from fitguard.checks.framework.fixtures import Missing
from fitguard.checks.framework.registry import check
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.hardware import Host
from fitguard.words import size

_GIB = 2**30
# `import tensorflow` and CUDA's start take about 1 GiB of host memory.
_ERROR_BELOW_BYTES = _GIB
_WARNING_BELOW_BYTES = 4 * _GIB


@check("FG701", "host-memory-low")
def host_memory_low(host: Host, facts: Facts) -> Finding | None:
    """
    ## What it means
    Training needs host memory too: about 1 GiB for TensorFlow and CUDA alone, then the data, the
    shuffle buffer, prefetched batches, and a copy of the weights at every checkpoint. Less than
    4 GiB are left here, in the machine or under the memory limit of the container or job.

    ## Why training crashes
    The kernel ends the process without a word: *Killed*, exit code 137 or signal 9, *oom-kill* in
    the kernel log, *OOMKilled* in Kubernetes. Or Python says *MemoryError*, TensorFlow
    *std::bad_alloc*. It often comes late, when a shuffle buffer has filled or a checkpoint is made.

    ## How to fix it
    Close other programs, raise the limit of the container (`docker run --memory`) or of the job, or
    use a machine with more memory. Make the input smaller: a smaller shuffle buffer, no `.cache()`
    in memory, fewer parallel calls. Swap keeps a process alive, but training from swap crawls.

    ## When this is wrong
    A small model with a small dataset runs in 2 GiB. The figures are of this moment; memory that
    the kernel can take back from its file cache counts as free.

    ## References
    - Linux kernel documentation: cgroup v2, memory controller; /proc/meminfo, MemAvailable
    """
    left = _collect_free_memory(host)
    if not left:
        raise Missing("how much host memory is free is not known")
    free_bytes, evidence = min(left, key=lambda entry: entry[0])
    if free_bytes >= _WARNING_BELOW_BYTES:
        return None
    limited = host.cgroup_limit_bytes is not None and evidence.source == "cgroup"
    under = f" under the limit of {size(host.cgroup_limit_bytes or 0)}" if limited else ""
    return Finding(
        severity="error" if free_bytes < _ERROR_BELOW_BYTES else "warning",
        title=f"Only {size(free_bytes)} of host memory is left{under}",
        evidence=tuple(entry[1] for entry in left),
        fix=_fix(host, limited, facts),
    )


def _collect_free_memory(host: Host) -> list[tuple[int, Evidence]]:
    left = []
    if host.available_bytes is not None:
        total = f" of {size(host.ram_bytes)}" if host.ram_bytes is not None else ""
        text = f"{size(host.available_bytes)}{total} available"
        left.append((host.available_bytes, Evidence(text, "/proc/meminfo")))
    if host.cgroup_limit_bytes is not None:
        used_bytes = host.cgroup_used_bytes or 0
        text = f"{size(used_bytes)} used, limit {size(host.cgroup_limit_bytes)}"
        left.append((max(0, host.cgroup_limit_bytes - used_bytes), Evidence(text, "cgroup")))
    return left


def _fix(host: Host, limited: bool, facts: Facts) -> Fix:
    swap = f" There are {size(host.swap_bytes)} of swap, but it is slow." if host.swap_bytes else ""
    if limited:
        return Fix(
            text="Raise the memory limit of the container or job (docker run --memory, "
            f"resources.limits.memory, --mem), or make the input pipeline smaller.{swap}",
        )
    return Fix(
        text=f"Close other programs, or make the input pipeline smaller (shuffle, cache).{swap}",
        commands=shell.list_processes(facts),
    )
