"""What TensorFlow's allocator says when it refuses: the dump, and the message alone.

A refusal is told in up to three places, whose order changed over the years:

    Allocator (GPU_0_bfc) ran out of memory trying to allocate 2.00GiB …   who asked for how much
    Bin (256): … · InUse at 7f… of size 256 · Limit: 2.00GiB · ****____     the dump
    OOM when allocating tensor with shape[131072,4096] and type float …     the error

Up to 1.0 the first stood after the dump; XLA and old releases leave parts out.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod

from fitguard.crash import allocator_lines as lines_of
from fitguard.schema.crash import AllocatorState, Line, Signal
from fitguard.schema.finding import Evidence

MANY = 10
"""From here on, tensors of one size are worth a word."""
QUOTED = 4
"""Lines of one refusal that are quoted."""


@dataclass
class _Refusal:
    """A refusal as it is put together, line by line."""

    allocator: str | None = None
    requested_bytes: int | None = None
    requested_by: str | None = None
    shape: tuple[int, ...] | None = None
    limit_bytes: int | None = None
    in_use_bytes: int | None = None
    growth_bytes: int = 0
    occupancy: str = ""
    ended: bool = False
    free: list[int] = field(default_factory=list)
    listed: Counter[int] = field(default_factory=Counter)
    summed: Counter[int] = field(default_factory=Counter)
    evidence: list[Evidence] = field(default_factory=list)

    def quote(self, line: Line) -> None:
        if len(self.evidence) < QUOTED:
            self.evidence.append(Evidence(line.text.strip(), line.source, line.number))

    @property
    def in_use(self) -> Counter[int]:
        """How many live tensors there are of each size: the summary's count, else our own."""
        return self.summed or self.listed

    def state(self) -> AllocatorState:
        """What all the lines come to."""
        in_use_bytes = self.in_use_bytes
        if in_use_bytes is None and self.in_use:
            in_use_bytes = sum(size * count for size, count in self.in_use.items())
        free_bytes, largest_free_bytes = self._free(in_use_bytes)
        size, count = max(
            ((s, n) for s, n in self.in_use.items() if n >= MANY),
            key=lambda entry: entry[0] * entry[1],
            default=(None, None),
        )
        return AllocatorState(
            allocator=self.allocator,
            requested_bytes=self.requested_bytes,
            requested_by=self.requested_by or None,
            shape=self.shape,
            limit_bytes=self.limit_bytes,
            in_use_bytes=in_use_bytes,
            free_bytes=free_bytes,
            largest_free_bytes=largest_free_bytes,
            repeated_size_bytes=size,
            repeated_count=count,
            used_share=self._compute_used_share(in_use_bytes),
            evidence=tuple(self.evidence),
        )

    def _compute_used_share(self, in_use_bytes: int | None) -> float | None:
        if self.limit_bytes and in_use_bytes is not None:
            return in_use_bytes / self.limit_bytes
        if self.occupancy:
            return 1 - self.occupancy.count("_") / len(self.occupancy)
        return None

    @property
    def tells(self) -> bool:
        """Whether it says anything of memory: parts of a dump do, whichever they are."""
        return bool(
            self.requested_bytes is not None
            or self.limit_bytes is not None
            or self.in_use_bytes is not None
            or self.in_use
            or self.occupancy
        )

    def _free(self, in_use_bytes: int | None) -> tuple[int | None, int | None]:
        """The free bytes in all, and the largest block of them."""
        if self.free or self.listed:
            return sum(self.free) + self.growth_bytes, max([*self.free, self.growth_bytes])
        if self.limit_bytes is None or in_use_bytes is None:
            return None, None
        free_bytes = max(0, self.limit_bytes - in_use_bytes)
        if not self.occupancy:
            return free_bytes, None
        # The map has one sign for each hundredth of the pool.
        longest = max(len(run) for run in re.split(r"[^_]", self.occupancy))
        return free_bytes, min(free_bytes, longest * self.limit_bytes // len(self.occupancy))


class _Dumps:
    """The refusals of one worker."""

    def __init__(self) -> None:
        self.refusals: list[_Refusal] = []

    def current(self) -> _Refusal:
        """The one that is being told; a new one where there is none."""
        if not self.refusals:
            self.refusals.append(_Refusal())
        return self.refusals[-1]

    def begin(self) -> _Refusal:
        """One that has not been asked for anything yet."""
        if (
            self.refusals
            and self.current().requested_bytes is None
            and self.current().shape is None
        ):
            return self.current()
        self.refusals.append(_Refusal())
        return self.refusals[-1]

    def take(self, line: Line) -> None:
        """Read one line."""
        for reads in (self._read_chunk, self._read_total, self._read_request, self._read_oom):
            if reads(line):
                return

    def _read_request(self, line: Line) -> bool:
        found = lines_of.ASKED.search(line.text)
        if found is None or "not a failure" in line.text:
            return False
        size_bytes = int(found["rounded"]) if found["rounded"] else lines_of.size(found["size"])
        if self.refusals and found["xla"] and self._repeats(size_bytes):
            self.current().quote(line)
            return True
        refusal = self.begin()
        refusal.requested_bytes = size_bytes
        refusal.allocator = found["allocator"] or found["stream_allocator"] or refusal.allocator
        refusal.requested_by = (found["op"] or "").strip()
        refusal.quote(line)
        return True

    def _repeats(self, size_bytes: int | None) -> bool:
        """Whether a size, which XLA writes with two digits, is that of the refusal just told."""
        before = self.current().requested_bytes
        return (
            before is not None
            and size_bytes is not None
            and abs(before - size_bytes) < (0.01 * before)
        )

    def _read_oom(self, line: Line) -> bool:
        found = lines_of.OOM.search(line.text)
        if found is None:
            return False
        shape = tuple(int(part) for part in found["shape"].split(",") if part)
        current = self.current()
        if current.shape is not None and current.shape != shape:
            current = _Refusal()
            self.refusals.append(current)
        known = current.shape is not None
        current.shape = shape
        current.allocator = current.allocator or found["allocator"]
        current.requested_by = current.requested_by or found["op"]
        if current.requested_bytes is None:
            asked = prod(shape) * lines_of.DTYPES.get(found["dtype"] or "float", 4)
            current.requested_bytes = asked if asked < lines_of.MOST_BYTES else None
        if not known:
            current.quote(line)
        return True

    def _read_chunk(self, line: Line) -> bool:
        if (found := lines_of.CHUNK.search(line.text)) is not None:
            self._dump()
            if found["state"].startswith("Free"):
                self.current().free.append(int(found["size"]))
            else:
                self.current().listed[int(found["size"])] += 1
        elif (found := lines_of.SUMMARY.search(line.text)) is not None:
            self.current().summed[int(found["size"])] += int(found["count"])
        elif (found := lines_of.HISTOGRAM.search(line.text)) is not None:
            self.current().listed[int(found["size"])] += int(found["count"])
        elif (found := lines_of.DUMP.search(line.text)) is not None:
            self._dump()
            self.current().allocator = self.current().allocator or found["allocator"]
        else:
            return False
        return True

    def _dump(self) -> None:
        """A dump goes on; behind the map, which ends it, another one begins."""
        if self.current().ended:
            self.refusals.append(_Refusal())

    def _read_total(self, line: Line) -> bool:
        text = line.text
        if (found := lines_of.POOL.search(text)) is not None:
            self.current().growth_bytes = lines_of.size(found["available"]) or 0
            self.current().limit_bytes = lines_of.size(found["limit"])
        elif (found := lines_of.STATISTIC.search(text)) is not None:
            self._statistic(line, found["name"], lines_of.size(found["size"]))
        elif (found := lines_of.FREE_OF_TOTAL.search(text)) is not None:
            self.current().free.append(int(found["free"]))
            self.current().limit_bytes = int(found["total"])
        elif (found := lines_of.SUM_IN_USE.search(text)) is not None:
            self._in_use(line, lines_of.size(found["size"]))
        elif (found := lines_of.OCCUPANCY.search(text)) is not None:
            self.current().occupancy = found["map"]
            self.current().ended = True
        else:
            return False
        return True

    def _statistic(self, line: Line, name: str, size_bytes: int | None) -> None:
        if name == "Limit" and size_bytes:
            self.current().limit_bytes = size_bytes
            self.current().quote(line)
        elif name == "InUse":
            self._in_use(line, size_bytes)

    def _in_use(self, line: Line, size_bytes: int | None) -> None:
        """The sum, which two lines tell; `InUse` is exact where it comes."""
        self.current().in_use_bytes = size_bytes
        self.current().quote(line)


def allocations(lines: Sequence[Line], signals: Sequence[Signal]) -> tuple[AllocatorState, ...]:
    """Every refusal in the log, in their order; of several workers one after the other."""
    if not any(signal.name in lines_of.SIGNALS for signal in signals):
        return ()
    by_worker: dict[tuple[str, str | None], _Dumps] = {}
    for line in lines:
        if lines_of.MAY_MATTER.search(line.text):
            by_worker.setdefault((line.source, line.worker), _Dumps()).take(line)
    return tuple(
        refusal.state()
        for dumps in by_worker.values()
        for refusal in dumps.refusals
        if refusal.tells
    )
