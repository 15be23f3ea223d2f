"""What the runs of a training say of fitguard."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from corpus.cases import Case

from fitguard.schema.journal import FitBegan, Noted

GOOD = ("identical", "announced")
_PROMISES = ("inexact", "unguarded", "snapshot")
"""Kinds of notes that say that something is not as it should be."""


@dataclass(frozen=True)
class Outcome:
    """Of one training.

    Args:
        verdict: `identical`; `announced`, as its header says; `SILENT`: it differs, and nothing
            that was said at the start tells why; `UNKEPT`: it differs, and that was said, but the
            header promises the same result; `FALSE ALARM`; `LATE`: said behind the first step;
            `BROKEN`: it did not come to its end; `UNSTABLE`: it differs from itself, plainly.
    """

    name: str
    verdict: str
    why: str = ""
    kills: int = 0

    @property
    def is_good(self) -> bool:
        return self.verdict in GOOD


def judge(case: Case, plain: dict[str, Any], runs: list[Any]) -> Outcome:
    """The worst of its runs."""
    kills = sum(len(run.kills) for run in runs)
    for run in runs:
        if run.broken:
            return Outcome(case.name, "BROKEN", f"{'; '.join(run.kills)}: {run.broken}", kills)
    differences = {"; ".join(run.kills): difference(plain, run.kept) for run in runs}
    differs = next((f"{at}: {what}" for at, what in differences.items() if what), "")
    early = list(dict.fromkeys(text for run in runs for text in said(run, late=False)))
    late = list(dict.fromkeys(text for run in runs for text in said(run, late=True)))
    verdict, why = _verdict(case, differs, early, [text for text in late if text not in early])
    return Outcome(case.name, verdict, why, kills)


def _verdict(case: Case, differs: str, early: list[str], late: list[str]) -> tuple[str, str]:
    if case.announced:
        missing = [word for word in case.announced if not any(word in text for text in early)]
        if missing and any(word in text for text in late for word in missing):
            return "LATE", late[0]
        if missing:
            return "SILENT", f"does not say {', '.join(missing)}, but {early}; {differs}"
        return "announced", early[0]
    if late:
        return "LATE", f"{late[0]} ({differs or 'identical'})"
    if differs:
        return ("UNKEPT", f"{early[0]} ({differs})") if early else ("SILENT", differs)
    return ("FALSE ALARM", early[0]) if early else ("identical", "")


def said(run: Any, *, late: bool) -> Iterator[str]:
    """Notes of the journal, before or behind the first step of the fit that they are about."""
    for event in run.journal:
        if isinstance(event, Noted) and event.kind in _PROMISES:
            began = _began(run.journal, event.fit)
            steps = (one.time for one in run.events if one.name == "on_train_batch_end")
            is_late = any(began <= time < event.time for time in steps)
            if is_late == late:
                yield event.text


def _began(journal: list[Any], fit: int) -> float:
    """When that `fit` call began for the first time."""
    times = [e.time for e in journal if isinstance(e, FitBegan) and fit in (0, e.place.fit)]
    return min(times, default=0.0)


def difference(one: Any, other: Any, place: str = "") -> str:
    """The first place where two results differ, with both; empty where there is none."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in [*one, *(key for key in other if key not in one)]:
            if found := difference(one.get(key, "—"), other.get(key, "—"), f"{place}.{key}"):
                return found
        return "" if list(one) == list(other) else f"{place}: in another order"
    if isinstance(one, list) and isinstance(other, list):
        if len(one) != len(other):
            return f"{place}: {len(one)} entries, now {len(other)}: {one} {other}"[:300]
        for index, pair in enumerate(zip(one, other, strict=True)):
            if found := difference(*pair, f"{place}[{index}]"):
                return found
        return ""
    return "" if one == other and type(one) is type(other) else f"{place}: {one} now {other}"[:300]
