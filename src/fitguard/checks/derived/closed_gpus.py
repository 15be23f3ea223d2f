"""GPUs that let no further program in: their compute mode forbids it."""

import msgspec

from fitguard.schema.hardware import Gpu, GpuProcess


class Closed(msgspec.Struct, frozen=True):
    """Why no program can open a GPU now.

    Args:
        why: `is taken by another process (compute mode Exclusive_Process)`.
    """

    why: str
    holders: tuple[GpuProcess, ...] = ()


def find_closed(gpu: Gpu) -> Closed | None:
    """None where a program can open it."""
    mode = gpu.compute_mode or ""
    # The server of MPS takes an exclusive GPU on purpose, and shares it out.
    holders = tuple(
        process
        for process in gpu.processes or ()
        if not process.own and "mps" not in (process.name or "")
    )
    if mode == "Prohibited":
        return Closed(f"forbids all programs (compute mode {mode})", holders)
    if mode.startswith("Exclusive") and holders:
        return Closed(f"is taken by another process (compute mode {mode})", holders)
    return None
