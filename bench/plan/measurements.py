"""The committed measurements, and how far an estimate is from one."""

import csv
from dataclasses import dataclass
from pathlib import Path

MEASURED = Path(__file__).parent / "measured.csv"
MIB = 2**20


@dataclass(frozen=True, kw_only=True)
class Row:
    """A training step that was measured on a GPU. None stands for what was not measured.

    Args:
        set: `given`, `seen` or `unseen`: which file has the model.
        peak_bytes: The allocator's peak with room.
        process_bytes: What NVML showed for the process.
        runs_bytes: The least limit under which it ran.
        fails_bytes: The most under which it ran out.
    """

    set: str
    model: str
    policy: str
    optimizer: str
    jit_compile: bool
    batch: int
    params: int
    peak_bytes: int | None
    process_bytes: int | None
    runs_bytes: int | None
    fails_bytes: int | None

    @property
    def step(self) -> tuple[str, str, str, str, bool]:
        """What rows of one child process have in common: all but the batch."""
        return self.set, self.model, self.policy, self.optimizer, self.jit_compile

    @property
    def bracket(self) -> tuple[int, int] | None:
        """The bounds of the least memory, where the bisection found both."""
        if self.fails_bytes is None or self.runs_bytes is None:
            return None
        return self.fails_bytes, self.runs_bytes


def read_rows(file: Path = MEASURED) -> list[Row]:
    """The rows of a file of measurements."""
    with file.open(newline="") as lines:
        return [_row(cells) for cells in csv.DictReader(lines)]


def _row(cells: dict[str, str]) -> Row:
    return Row(
        set=cells["set"],
        model=cells["model"],
        policy=cells["policy"],
        optimizer=cells["optimizer"],
        jit_compile=cells["jit_compile"].lower() == "true",
        batch=int(cells["batch"]),
        params=int(cells["params"]),
        peak_bytes=_bytes(cells["peak_bytes"]),
        process_bytes=_bytes(cells["nvml_process_bytes"]),
        runs_bytes=_bytes(cells["min_ok_mib"], MIB),
        fails_bytes=_bytes(cells["max_fail_mib"], MIB),
    )


def _bytes(cell: str | None, unit: int = 1) -> int | None:
    return int(cell) * unit if cell else None


def error(estimate: int, bounds: tuple[int, int]) -> float:
    """How far an estimate is from the nearer bound; 0 between the bounds."""
    lower, upper = bounds
    if lower <= estimate <= upper:
        return 0.0
    return estimate / (upper if estimate > upper else lower) - 1
