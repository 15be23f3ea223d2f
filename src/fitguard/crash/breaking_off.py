"""Logs of several workers that end in the middle of an epoch: that is not yet a good end."""

import re
from collections.abc import Sequence

import msgspec

from fitguard.crash.several import WorkerLog, list_names
from fitguard.crash.signals import Recogniser
from fitguard.schema.crash import Signal
from fitguard.schema.diagnosis import Diagnosis, Question

_UNDER_WAY = re.compile(r"\s{0,9}(?P<step>\d{1,9})/(?!(?P=step)\b)(?:\d{1,9}|Unknown)\b")
"""`12/100 [==>…` of Keras: the epoch is not over."""


def find_broken_off(workers: Sequence[WorkerLog], recogniser: Recogniser) -> list[WorkerLog]:
    """Those that end in the middle of an epoch, where several of them trained."""
    trained = [
        (worker, epochs[-1], signals)
        for worker in workers
        if (signals := recogniser.signals(worker.lines))
        and (epochs := [line for line in signals if line.name == "epoch-line"])
    ]
    if len(trained) < 2:
        return []
    return [worker for worker, epoch, signals in trained if _is_last(worker, epoch, signals)]


def _is_last(worker: WorkerLog, epoch: Signal, signals: Sequence[Signal]) -> bool:
    """Whether nothing comes after the beginning of an epoch but steps of it, and noise."""
    noise = {line.order for line in signals if line.role == "noise"}
    return all(
        place in noise or _UNDER_WAY.match(line.text)
        for place, line in enumerate(worker.lines)
        if place > epoch.order
    )


def leave_open(found: Diagnosis, broken_off: Sequence[WorkerLog]) -> Diagnosis:
    """The same, undecided: nothing bad is told, but nor is the end."""
    names = list_names(broken_off)
    ends = "end" if len(broken_off) > 1 else "ends"
    asked = Question(
        f"Whether the workers still run, and what they wait for: {names} {ends} in the middle of "
        "an epoch",
        "If they run: `py-spy dump --pid PID` (from `pip install py-spy`) for each of them. If "
        "not: add the exit code of the one that ended first as `--exit-code N`.",
    )
    return msgspec.structs.replace(
        found,
        primary=None,
        causes=tuple(cause for cause in found.causes if cause.cause != "none"),
        questions=(asked, *found.questions),
    )
