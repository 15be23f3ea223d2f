"""The machine, the container or the job ran out of host memory."""

from fitguard.causes.derived.gpu_memory import on_host, only_host_pools
from fitguard.causes.derived.memory_series import growing_series
from fitguard.causes.framework.registry import cause
from fitguard.causes.framework.scales import Scales, Verdict
from fitguard.schema.crash import Signal, Story
from fitguard.schema.finding import Evidence, Fix
from fitguard.shell import posix_only
from fitguard.words import size

_CERTAIN = {"host-memory-limit-hit": 0.92, "paging-file-too-small": 0.86, "memory-error": 0.86}
_LIKELY = {
    "bad-alloc": 0.82,
    "batch-allocation-failed": 0.72,
    "cannot-allocate-memory": 0.75,
    "pinned-memory-refused": 0.62,
}
_KILLED = 0.76
_WAS_FULL, _HAD_ROOM = 90, 60
"""Percent of the limit, when it ended."""


@cause("host-oom")
def host_oom(story: Story) -> Verdict | None:
    """
    ## What it means
    RAM ran out, not GPU memory. Either a request was refused (*MemoryError*, *std::bad_alloc*), or
    the kernel, the container or the batch system ended the process with SIGKILL: *Killed*, exit
    code 137, often without any other word.

    ## How to be sure
    - The kernel log names the victim: `dmesg -T | grep -i -E "oom|killed process"`.
    - Kubernetes says *OOMKilled*, Slurm *oom-kill event*, Colab *using all available RAM*.
    - `docker inspect` shows `"OOMKilled": true`; the cgroup counts it in `memory.events`.
    - Without such a record 137 only says SIGKILL: it is memory in most trainings, but somebody, or
      a time limit, may have sent it too.

    ## How to fix it
    Give the container or job more memory, or need less: a smaller shuffle buffer, no `.cache()` in
    memory, fewer workers and prefetched batches, `np.load(mmap_mode="r")` or tf.data from files
    instead of one large array, float32 instead of float64. A checkpoint or an evaluation at the
    same time needs room too.

    ## When this reading is wrong
    - If memory grew over hours, the growth is the cause: *gpu-memory-leak* (host memory included).
    - *OOM when allocating … by allocator GPU_0_bfc* is the GPU's memory: *gpu-oom*.
    - A job that ends exactly at its time limit was stopped by the batch system.

    ## References
    - Linux: mm/oom_kill.c; cgroup v2, memory controller, memory.events
    - std::bad_alloc is host memory: the maintainers in tensorflow/tensorflow#9487
    """
    scales = Scales()
    for name, weight in {**_CERTAIN, **_LIKELY}.items():
        scales.add(weight, story.first(name))
    recorded = _find_kill_record(story)
    scales.add(0.93, *recorded)
    _weigh_kill(story, scales, recorded=bool(recorded))
    scales.add(0.8, _find_host_refusal(story))
    _weigh_words(story, scales)
    if scales.weight:
        scales.add(0.15, story.first("large-host-allocation"))
        scales.add(0.3, story.finding("host-memory-low"))
    if growing_series(story):
        scales.take(0.25)
    if story.has("stopped-by-user") and not recorded:
        scales.take(0.6)
    return scales.verdict(why=_why(story, recorded), fix=_fix(story))


def _find_kill_record(story: Story) -> tuple[Signal | Evidence, ...]:
    """What the kernel itself wrote of a kill."""
    if (signal := story.first("oom-kill")) is not None:
        return (signal,)
    log = story.facts.kernel_log
    if log is not None and log.oom_kills and story.ending.signal == "SIGKILL":
        return (Evidence(log.oom_kills[-1], log.origin),)
    return ()


def _weigh_kill(story: Story, scales: Scales, *, recorded: bool) -> None:
    """A SIGKILL: likely memory; less so where the kernel's log is known and says nothing."""
    if story.ending.signal == "SIGKILL" and (measured := story.first("main-memory-at-the-end")):
        share = int(measured.values["share"])
        if share >= _WAS_FULL:
            scales.add(0.85, measured)
        elif share < _HAD_ROOM and not recorded:
            scales.take(0.55)
    kernel_silent = not recorded and any(one.source == "kernel log" for one in story.signals)
    weight = 0.55 if kernel_silent else _KILLED
    if (killed := story.first("killed", "sigkill-told")) is not None:
        scales.add(weight, killed)
    elif story.ending.signal == "SIGKILL":
        scales.add(weight, *_find_end_proof(story))


def _find_end_proof(story: Story) -> tuple[Signal | Evidence, ...]:
    lines = [one for one in story.signals if one.evidence in story.ending.evidence]
    return tuple(lines) or story.ending.evidence


def _weigh_words(story: Story, scales: Scales) -> None:
    killed, ram = story.first("words-killed"), story.first("words-out-of-ram")
    scales.add(0.66 if not scales.weight else 0.3, killed)
    scales.add(0.68 if not scales.weight else 0.4, ram)
    if not scales.weight:
        scales.add(0.3, story.first("words-memory-grows"))
        scales.add(0.25, story.first("words-out-of-memory"))
        scales.add(0.35, story.first("memory-profile"))
    scales.add(0.35, story.first("words-many-processes"))
    scales.add(0.4 if not scales.weight else 0.2, story.first("kernel-died"))
    scales.add(0.4 if scales.weight else 0.3, story.first("words-larger-data-fails"))


def _find_host_refusal(story: Story) -> Signal | None:
    """The allocator of the host, by its own name."""
    return next(
        (
            signal
            for signal in story.all("oom-allocating", "allocator-refused")
            if on_host(signal.values.get("allocator"), signal.values.get("device"))
        ),
        story.first("allocator-dump") if only_host_pools(story) else None,
    )


def _why(story: Story, recorded: tuple[Signal | Evidence, ...]) -> str:
    if recorded:
        return "The kernel log says that the kernel killed a process because memory ran out."
    if story.has("host-memory-limit-hit"):
        return "The system that runs the job ended it because it used more memory than allowed."
    measured = story.first("main-memory-at-the-end")
    if story.ending.signal == "SIGKILL" and measured is not None:
        share = int(measured.values["share"])
        if share >= _WAS_FULL:
            return f"The process was killed with SIGKILL while {share} % of the memory was in use."
    if story.has("killed", "sigkill-told") or story.ending.signal == "SIGKILL":
        return (
            "The process was killed with SIGKILL. In trainings that is nearly always the kernel or "
            "the container that ran out of memory; the kernel log would prove it."
        )
    if story.has("pinned-memory-refused"):
        return "The host had no memory that could be pinned for copies to the GPU."
    if story.has("words-killed", "words-out-of-ram"):
        return "According to the description, host memory ran out and the process was killed."
    return "The program asked the host for memory and did not get it."


def _array(story: Story) -> str | None:
    """The size of an array that NumPy could not make, in its own words."""
    sizes = (
        signal.values.get("size") or signal.values.get("array")
        for signal in story.all("memory-error")
    )
    return next((text for text in sizes if text), None)


def _fix(story: Story) -> Fix:
    if asked := _array(story):
        return Fix(
            f"One array of {asked} is asked for. Load the data in parts: "
            "`np.load(path, mmap_mode='r')`, tf.data from files, or a keras.utils.PyDataset; use "
            "float32 or uint8 instead of float64."
        )
    if story.has("paging-file-too-small"):
        return Fix(
            "Let Windows manage the size of the paging file, or make it larger (System, advanced "
            "settings, performance, virtual memory), and use fewer worker processes."
        )
    limit_bytes = story.facts.host.cgroup_limit_bytes if story.facts.host else None
    if limit_bytes:
        first = f"The limit is {size(limit_bytes)}: raise it (docker run --memory, --mem). "
    else:
        first = (
            "See what the kernel says, and raise the memory limit of the container or job "
            "(docker run --memory, resources.limits.memory, --mem) if there is one. "
        )
    return Fix(
        first
        + "Or use less memory: a smaller shuffle buffer, no `.cache()` in memory, fewer workers, "
        "data from files instead of one large array. A smaller batch helps little here.",
        commands=posix_only(
            story.facts, "sudo dmesg -T | grep -i -E 'oom|killed process' | tail -n 20", "free -h"
        ),
    )
