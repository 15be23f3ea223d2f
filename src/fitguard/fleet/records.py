"""What the folders of runs tell of trainings: read where the storage is, and nothing is trusted
of it but words and numbers."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from fitguard.monitor.gang_folder import name_worker
from fitguard.monitor.run_folder import RunFolder
from fitguard.monitor.samples import find_peak
from fitguard.monitor.trust import require_trusted
from fitguard.schema.exit_codes import UnreadableInput
from fitguard.schema.run import Attempt, Outcome, Place, RunFit, RunState
from fitguard.supervise.past_runs import fold_folder


class RunRecord(msgspec.Struct, frozen=True, kw_only=True):
    """How a run stands.

    Args:
        state: None where there is no run yet.
        outcome: Of the last attempt; empty where there was none.
        cause: On which it was given up, by slug; empty where it was not.
        why: It was given up, or cannot be read.
        kept: How far its newest snapshot is.
        share_done: That this is of the whole; 0 where nobody knows how much the whole is.
        seconds: That all its attempts took, without what lay between them.
        command: That it was started with.
        attempts: How many there were.
        peak_bytes: That TensorFlow's allocator had in use at most; 0 where that is not known, or
            not even one epoch was kept.
    """

    run: str
    state: RunState | None = None
    cause: str = ""
    why: str = ""
    outcome: Outcome | Literal[""] = ""
    kept: Place = Place()
    share_done: float = 0.0
    seconds: float = 0.0
    command: tuple[str, ...] = ()
    attempts: int = 0
    peak_bytes: int = 0


def name_runs(name: str, workers: int) -> tuple[str, ...]:
    """The ids of the runs of a training."""
    if workers == 1:
        return (name,)
    return tuple(name_worker(name, worker) for worker in range(workers))


def read_record(storage: Path, run: str) -> RunRecord:
    """How one run stands; also where its folder is not there, or cannot be read."""
    folder = RunFolder(storage / run)
    try:
        if not folder.journal.is_file():
            return RunRecord(run=run)
        require_trusted(folder.path)
        found = fold_folder(folder)
    except (OSError, UnreadableInput) as error:
        return RunRecord(run=run, why=str(error))
    last = found.decisions[-1] if found.decisions else None
    kept = found.saved[-1].place if found.saved else Place()
    has_stopped = last is not None and last.action == "stop"
    return RunRecord(
        run=run,
        state=found.state,
        outcome=found.attempts[-1].outcome if found.attempts else "",
        cause=last.cause if last is not None and has_stopped else "",
        why=last.text if last is not None and has_stopped else "",
        kept=kept,
        share_done=_find_share(kept, found.fits),
        seconds=_sum_seconds(found.attempts),
        command=found.command,
        attempts=len(found.attempts),
        peak_bytes=find_peak(folder.flight_records)
        if found.state != "finished" and _is_typical(kept)
        else 0,
    )


def _sum_seconds(attempts: Iterable[Attempt]) -> float:
    return sum(max(0.0, (one.ended or one.started) - one.started) for one in attempts)


def _is_typical(kept: Place) -> bool:
    """Whether it went through a whole epoch, with its validation."""
    return kept.epoch > 0 or kept.fit > 1


def _find_share(kept: Place, fits: Sequence[RunFit]) -> float:
    """Of the epochs that were asked for; how many more `fit` calls there will be, nobody knows."""
    epochs = fits[0].epochs if kept.fit == 1 and fits else None
    return min(kept.epoch / epochs, 1.0) if epochs else 0.0
