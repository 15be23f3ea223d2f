"""Waiting for memory of the GPUs that other processes hold, and saying who they are."""

import time
from collections.abc import Callable, Sequence
from pathlib import PurePosixPath

from fitguard.schema.hardware import Gpu, GpuProcess
from fitguard.words import size

Read = Callable[[], Sequence[Gpu]]

_FIRST_PAUSE_SECONDS = 2.0
_LONGEST_PAUSE_SECONDS = 5.0
_NAMED = 3
_LEAST_BYTES = 64 * 2**20
"""What a driver or an idle display holds is nobody's training."""


def describe_holders(gpus: Sequence[Gpu]) -> str:
    """`GPU 0: python (pid 4711) holds 30.0 GiB`; empty where nobody holds much."""
    return "; ".join(sentence for gpu in gpus if (sentence := _describe_gpu(gpu)))


def has_room(gpus: Sequence[Gpu], needed_bytes: int | None, share: float) -> bool:
    """Whether so much of each GPU is free.

    Args:
        needed_bytes: On each; where None, `share` of its memory.
    """
    return all(_is_free(gpu, needed_bytes, share) for gpu in gpus)


def wait_for_memory(
    *,
    read: Read,
    say: Callable[[str], None],
    needed_bytes: int | None = None,
    share: float = 0.8,
    deadline_seconds: float = 3600.0,
    sleep: Callable[[float], bool | None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> bool:
    """Wait until so much of each GPU is free; whether that came to be.

    Call it while no process of the run is alive: all that is in use then belongs to others.

    Args:
        read: The GPUs that the training uses, asked anew. None at all: nothing to wait for.
        say: Called with who holds the memory, at first and when that changes.
        needed_bytes: Free on each GPU; where None, `share` of its memory.
        sleep: Returns True to give up waiting, such as after Ctrl-C.
    """
    end = clock() + deadline_seconds
    pause = _FIRST_PAUSE_SECONDS
    said = ""
    while True:
        gpus = read()
        if has_room(gpus, needed_bytes, share):
            return True
        who = describe_holders(gpus) or "other processes hold the memory of the GPUs"
        if who != said:
            say(f"Waiting for memory: {who}.")
            said = who
        left = end - clock()
        if left <= 0 or sleep(min(pause, left)):
            return False
        pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)


def _is_free(gpu: Gpu, needed_bytes: int | None, share: float) -> bool:
    """A GPU that does not tell is not waited for."""
    if gpu.memory_bytes is None or gpu.used_bytes is None or gpu.mig_enabled:
        return True
    needed = share * gpu.memory_bytes if needed_bytes is None else needed_bytes
    return gpu.memory_bytes - gpu.used_bytes >= needed


def _describe_gpu(gpu: Gpu) -> str:
    processes = sorted(
        (process for process in gpu.processes or () if (process.used_bytes or 0) >= _LEAST_BYTES),
        key=lambda process: -(process.used_bytes or 0),
    )
    if processes:
        more = len(processes) - _NAMED
        parts = [_describe_process(process) for process in processes[:_NAMED]]
        return f"GPU {gpu.index}: {', '.join(parts)}" + (f" and {more} more" if more > 0 else "")
    if (gpu.used_bytes or 0) >= _LEAST_BYTES:
        return (
            f"GPU {gpu.index}: processes that are not shown here hold {size(gpu.used_bytes or 0)}"
        )
    return ""


def _describe_process(process: GpuProcess) -> str:
    """Without the folder of the program: it may hold the name of a person."""
    name = PurePosixPath((process.name or "").replace("\\", "/")).name.partition(" ")[0]
    return f"{name or 'a process'} (pid {process.pid}) holds {size(process.used_bytes or 0)}"
