"""Which of several workers failed first. Pure: stories in, an answer out."""

from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from fitguard.causes.derived.abrupt_end import has_ended_well
from fitguard.causes.derived.fallout import find_fallout
from fitguard.crash.several import WorkerLog, list_names
from fitguard.crash.stamps import Clock, Stamp, find_stamps, read_stamp
from fitguard.schema.crash import Signal, Story
from fitguard.schema.diagnosis import Diagnosis, WorkerPart
from fitguard.schema.finding import Evidence

CLOCKS_DIFFER_SECONDS = 5.0
"""Clocks of different machines may differ by this much."""
_TRAINS = ("epoch-line", "xla-works")


class Telling(NamedTuple):
    """What the log of one worker tells, taken alone.

    Args:
        part: `first` for one with a failure of its own, as long as the others are not known.
        moment: The line with which it failed.
        stamps: When that was; by each clock, the last time before it, since the training began.
        is_exact: Whether the line itself has the time.
    """

    worker: WorkerLog
    story: Story
    diagnosis: Diagnosis
    part: WorkerPart
    moment: Evidence | None = None
    stamps: Mapping[Clock, Stamp] = MappingProxyType({})
    is_exact: bool = False

    @property
    def name(self) -> str:
        """Of the worker."""
        return self.worker.name

    @property
    def fallout(self) -> Signal | None:
        """The first line that tells of another worker."""
        return find_fallout(self.story)


class Answer(NamedTuple):
    """Who failed first.

    Args:
        first: None where no log shows it.
        told_by: How that is known, in sentences.
        missing: The number of the worker that the others name, and whose log was not given.
        is_mute: Whether it was given, and tells nothing.
    """

    first: Telling | None
    told_by: str
    missing: int | None = None
    is_mute: bool = False


def read_worker(worker: WorkerLog, story: Story, diagnosis: Diagnosis) -> Telling:
    """What the log of one worker tells."""
    fallout = find_fallout(story)
    own = _find_own_failure(worker, story) if fallout is None else None
    if fallout is not None:
        return _place_in_time(Telling(worker, story, diagnosis, "fallout"), fallout.order)
    if own is not None:
        return _place_in_time(Telling(worker, story, diagnosis, "first", own[1]), own[0])
    ended_well = has_ended_well(story) or story.has("training-finished")
    return Telling(worker, story, diagnosis, "well" if ended_well else "silent")


def _place_in_time(telling: Telling, order: int) -> Telling:
    lines = telling.worker.lines
    line = lines[order] if order < len(lines) else None
    return telling._replace(
        moment=Evidence(line.text, line.source, line.number) if line else telling.moment,
        stamps=find_stamps(lines, order, _find_start(telling.story, order)),
        is_exact=line is not None and read_stamp(line.text) is not None,
    )


def _find_start(story: Story, order: int) -> int:
    """Where the training began: notes of the start-up do not tell when it failed.

    Where nothing tells of a training, only the failing line itself counts.
    """
    began = story.first(*_TRAINS)
    return min(began.order, order) if began is not None else order


def _find_own_failure(worker: WorkerLog, story: Story) -> tuple[int, Evidence] | None:
    """The place and the line of the first failure: an error, an end by a signal, a bad exit."""
    found = [(stop.order, stop.evidence) for stop in story.role("stop")]
    if error := story.traceback:
        places = [
            place
            for place, line in enumerate(worker.lines)
            if (line.number, line.source) == (error.evidence.line, error.evidence.source)
        ]
        found += [(place, error.evidence) for place in places[:1]]
    if not found and (story.ending.signal or story.ending.exit_code):
        found += [(len(worker.lines), evidence) for evidence in story.ending.evidence[:1]]
    return min(found, default=None, key=lambda entry: entry[0])


def find_first(tellings: Sequence[Telling], mute: Sequence[WorkerLog] = ()) -> Answer:
    """The worker that failed first.

    A failure of its own comes before what others tell of it; of several, the earliest by their
    time stamps. A worker without a failure in its log comes next, where the others tell that one
    is gone.

    Args:
        mute: Workers whose logs tell nothing: none of them is ever the first one.
    """
    others = [telling for telling in tellings if telling.part == "fallout"]
    own = [
        telling
        for telling in tellings
        if telling.part == "first" and not _came_long_after(telling, others)
    ]
    if own:
        return _choose_own(own, others)
    if not others:
        return Answer(None, "No log tells of a failure.")
    silent = [telling for telling in tellings if telling.part in ("silent", "well")]
    named = _count_named(others)
    known = {telling.worker.number for telling in tellings}
    hidden = [worker for worker in mute if worker.number not in known and named[worker.number]]
    if hidden and not any(named[telling.worker.number] for telling in silent):
        return _name_mute(max(hidden, key=lambda worker: named[worker.number]), others)
    if silent:
        return _choose_silent(silent, others, named)
    missing = next((task for task, _ in named.most_common() if task not in known), None)
    told = "Every log tells of another worker, and none has a failure of its own."
    if missing is not None:
        told += f" They name worker {missing}, whose log is not among them."
    return Answer(None, told, missing)


def _name_mute(worker: WorkerLog, others: Sequence[Telling]) -> Answer:
    several = len(others) > 1
    told = (
        f"{list_names(others)} only {'tell' if several else 'tells'} that a worker is gone or "
        f"stuck. {'They name' if several else 'It names'} worker {worker.number}, but its log, "
        f"{worker.name}, tells nothing."
    )
    return Answer(None, told, worker.number, is_mute=True)


def _choose_own(own: Sequence[Telling], others: Sequence[Telling]) -> Answer:
    if len(own) == 1:
        told = f"Only {own[0].name} has a failure of its own."
        if others:
            told += " What the others print only tells that a worker is gone or stuck."
        return Answer(own[0], told + _compare(own[0], others))
    clock = _find_common_clock(own)
    if clock is None:
        named = _count_named(others)
        first = max(own, key=lambda telling: named[telling.worker.number])
        told = (
            f"{list_names(own)} have failures of their own, and no time stamps that could be "
            "compared. "
        )
        if named[first.worker.number]:
            return Answer(first, f"{told}The others name {first.name}.")
        return Answer(first, f"{told}{first.name} comes first in what was given.")
    ordered = sorted(own, key=lambda telling: telling.stamps[clock].seconds)
    apart = ordered[1].stamps[clock].seconds - ordered[0].stamps[clock].seconds
    told = (
        f"By the time stamps: {ordered[0].name} failed {_format(apart)} before {ordered[1].name}."
    )
    return Answer(ordered[0], told)


def _choose_silent(
    silent: Sequence[Telling], others: Sequence[Telling], named: Counter[int | None]
) -> Answer:
    first = max(silent, key=lambda telling: (named[telling.worker.number], telling.part != "well"))
    what = "ended well" if first.part == "well" else "shows no failure"
    several = len(others) > 1
    told = f"{list_names(others)} only {'tell' if several else 'tells'} that a worker is gone or "
    told += f"stuck, and {first.name} {what}."
    if named[first.worker.number] and _are_distinct(silent, others):
        who = "They name" if several else "It names"
        return Answer(first, f"{told} {who} worker {first.worker.number}.")
    rest = [telling for telling in silent if telling is not first]
    if rest:
        told += (
            f" Nor {'do' if len(rest) > 1 else 'does'} {list_names(rest)}: it may have been any "
        )
        told += "of them."
    return Answer(first if not rest else None, told)


def _are_distinct(*groups: Sequence[Telling]) -> bool:
    numbers = [telling.worker.number for group in groups for telling in group]
    return len(set(numbers)) == len(numbers)


def _came_long_after(telling: Telling, others: Sequence[Telling]) -> bool:
    """Whether others had told of a lost worker long before this one failed."""
    for other in others:
        clock = _find_common_clock([telling, other])
        if clock is not None and telling.is_exact and other.is_exact:
            late = telling.stamps[clock].seconds - other.stamps[clock].seconds
            if late > CLOCKS_DIFFER_SECONDS:
                return True
    return False


def _count_named(others: Sequence[Telling]) -> Counter[int | None]:
    """How many workers name each worker as the one that is gone."""
    counted: Counter[int | None] = Counter()
    for telling in others:
        fallout = telling.fallout
        named = {
            int(line.values["task"])
            for line in telling.story.all("peer-named")
            if fallout is not None and line.order > fallout.order
        }
        counted.update(named - {telling.worker.number})
    return counted


def _compare(first: Telling, others: Sequence[Telling]) -> str:
    """` Its time stamp is 10.8 s before theirs.`, where both lines have one."""
    exact = [other for other in others if other.is_exact]
    clock = _find_common_clock([first, *exact])
    if not exact or clock is None or not first.is_exact:
        return ""
    earliest = min(other.stamps[clock].seconds for other in exact)
    before = earliest - first.stamps[clock].seconds
    return f" By the time stamps it failed {_format(before)} before them." if before > 0 else ""


def _find_common_clock(tellings: Sequence[Telling]) -> Clock | None:
    clocks: tuple[Clock, ...] = ("unix", "local", "day")
    return next((c for c in clocks if all(c in telling.stamps for telling in tellings)), None)


def _format(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 0.1 else f"{seconds * 1000:.0f} ms"
