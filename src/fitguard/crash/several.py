"""The logs of several workers: which lines are of which worker."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from fitguard.crash.given import GivenLog
from fitguard.crash.reader import Reading
from fitguard.crash.signals import Recogniser
from fitguard.schema.crash import Line, Signal

_STREAM = re.compile(
    r"(?:[._-]?(?:stdout|stderr|out|err))?(?:\.(?:log|txt|out|err))?(?:\.(?:gz|zst))?$"
)
"""What tells the two streams of one process apart: `worker0.out`, `worker0.err`."""
_RANK = re.compile(r"(?:\d{1,6},)?(?P<rank>\d{1,6})")
"""`1,3` of mpirun, job and rank; `3` of horovodrun and srun."""
_OF_LAUNCHER = re.compile(
    r"noticed that process (?:\S{1,100} )?rank (?P<rank>\d{1,6}) with PID"
    r"|srun: error: \S{1,100}: tasks? (?P<task>\d{1,6})[\d,-]{0,60}:"
    r"|^Process (?P<process>\d{1,6}) exit with status code"
    r"|MPI_ABORT was invoked on rank (?P<aborted>\d{1,6})"
)
"""What launchers say of a worker that ended, in a line of their own."""
_GOES_ON = re.compile(r"(?:exited on )?signal \d{1,3} \(")
"""The second line of it, where the launcher breaks it in two."""
_NO_CHARACTER = "\N{REPLACEMENT CHARACTER}"
_TEXT_SHARE = 0.95
"""Of the characters of a text, at least this share can be read."""


class WorkerLog(NamedTuple):
    """What one worker wrote.

    Args:
        name: For people: `worker1.log`, `rank 3`.
        number: Among the workers, where the name tells it.
        exit_code: How its process ended, where it is known, as `signal`.
    """

    name: str
    number: int | None
    lines: tuple[Line, ...]
    line_count: int
    exit_code: int | None = None
    signal: str | None = None


def split_workers(logs: Sequence[GivenLog], readings: Sequence[Reading]) -> list[WorkerLog]:
    """Each worker with its lines; the two streams of one process are one worker."""
    found: dict[str, WorkerLog] = {}
    for key, name, given, reading in _name_logs(logs, readings):
        for worker in _split_by_prefix(name, given, reading):
            place = key if worker.name == name else f"{key}\0{worker.name}"
            known = found.get(place)
            found[place] = _join_streams(known, worker) if known else worker
    return list(found.values())


def set_mute_aside(
    workers: Sequence[WorkerLog], recogniser: Recogniser
) -> tuple[list[WorkerLog], list[WorkerLog]]:
    """Those whose logs tell something, and those of which an empty or binary file is all there is.

    One that is known to have ended in some way is of the former.
    """
    telling = [
        worker
        for worker in workers
        if worker.exit_code is not None
        or worker.signal
        or (worker.lines and (_is_text(worker) or _means_something(worker, recogniser)))
    ]
    return telling, [worker for worker in workers if worker not in telling]


def describe_mute(worker: WorkerLog) -> str:
    """`empty.log is empty, and tells nothing.`"""
    return f"{worker.name} is {'no text' if worker.lines else 'empty'}, and tells nothing."


def _is_text(worker: WorkerLog) -> bool:
    text = "".join(line.text for line in worker.lines)
    return text.count(_NO_CHARACTER) <= (1 - _TEXT_SHARE) * len(text)


def _means_something(worker: WorkerLog, recogniser: Recogniser) -> bool:
    """Whether a line of TensorFlow is in it; any bytes may look like a word of a person."""
    return any(line.role not in ("words", "clue") for line in recogniser.signals(worker.lines))


def speak_of_each_other(workers: Sequence[WorkerLog], recogniser: Recogniser) -> bool:
    """Whether one of them tells that another is gone or stuck, or their launcher says who ended."""
    return any(
        signal.role == "fallout" or (_is_tagged(worker) and _is_bad_end_by_launcher(signal))
        for worker in workers
        for signal in recogniser.signals(worker.lines)
    )


def _is_tagged(worker: WorkerLog) -> bool:
    return any(line.worker for line in worker.lines)


def _is_bad_end_by_launcher(signal: Signal) -> bool:
    """A line that the worker did not write itself: it has not its prefix."""
    failed = signal.role == "stop" or signal.values.get("exit_code", "0") != "0"
    return signal.worker is None and failed


def _name_logs(
    logs: Sequence[GivenLog], readings: Sequence[Reading]
) -> Iterator[tuple[str, str, GivenLog, Reading]]:
    """Of each log what it is known by, and its name: of a file the shortest that is its own."""
    paths = [_find_path(given) for given in logs]
    names = [path.name for path in paths if path is not None]
    for place, (given, reading, path) in enumerate(zip(logs, readings, paths, strict=True), 1):
        if path is None:
            name = given.name or f"log {place}"
            yield name, name, given, reading
        else:
            name = path.name if names.count(path.name) == 1 else str(path)
            yield _STREAM.sub("", str(path)), name, given, reading


def _find_path(given: GivenLog) -> Path | None:
    if given.name is not None or not isinstance(given.log, str | Path):
        return None
    return None if "\n" in str(given.log) else Path(given.log)


def _split_by_prefix(name: str, given: GivenLog, reading: Reading) -> Iterator[WorkerLog]:
    """By what stands in front of each line, where that names several workers."""
    tags = list(dict.fromkeys(line.worker for line in reading.lines if line.worker))
    if len(tags) < 2:
        yield WorkerLog(
            name, _find_number(name), reading.lines, reading.line_count,
            given.exit_code, given.signal,
        )  # fmt: skip
        return
    by_tag: dict[str, list[Line]] = {tag: [] for tag in tags}
    by_rank = {_find_number(tag): tag for tag in tags}
    named: int | None = None
    for line in reading.lines:
        rank_named = _rank_of_launcher(line.text)
        named = named if rank_named is None and _GOES_ON.match(line.text) else rank_named
        tag = line.worker or by_rank.get(named)
        if tag is not None:
            by_tag[tag].append(line)
    for tag, lines in by_tag.items():
        rank = _RANK.fullmatch(tag)
        shown = f"rank {rank['rank']}" if rank else tag
        yield WorkerLog(shown, _find_number(tag), tuple(lines), len(lines))


def _rank_of_launcher(text: str) -> int | None:
    found = _OF_LAUNCHER.search(text)
    return int(next(filter(None, found.groups()))) if found else None


def _join_streams(one: WorkerLog, other: WorkerLog) -> WorkerLog:
    return one._replace(
        name=f"{one.name} + {other.name}",
        lines=(*one.lines, *other.lines),
        line_count=one.line_count + other.line_count,
    )


def _find_number(name: str) -> int | None:
    """The last number of a name; the number of a process tells nothing."""
    numbers = re.findall(r"\d{1,6}", "" if "pid=" in name else _STREAM.sub("", name))
    return int(numbers[-1]) if numbers else None


class Named(Protocol):
    """A worker, or what is known of it."""

    @property
    def name(self) -> str:
        """For people."""


def list_names(workers: Sequence[Named]) -> str:
    """`a, b and c`; of many, the first ones."""
    names = [worker.name for worker in workers]
    shown = names if len(names) <= 4 else [*names[:3], f"{len(names) - 3} others"]
    return " and ".join(filter(None, (", ".join(shown[:-1]), *shown[-1:])))
