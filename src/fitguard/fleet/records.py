"""What the folders of runs tell of trainings: read where the storage is, and nothing is trusted
of it but words and numbers."""

from pathlib import Path
from typing import Literal

import msgspec

from fitguard.monitor.gang_folder import name_worker
from fitguard.monitor.run_folder import RunFolder
from fitguard.monitor.trust import require_trusted
from fitguard.schema.exit_codes import UnreadableInput
from fitguard.schema.run import Outcome, Place, RunState
from fitguard.supervise.past_runs import fold_folder


class RunRecord(msgspec.Struct, frozen=True, kw_only=True):
    """How a run stands.

    Args:
        state: None where there is no run yet.
        outcome: Of the last attempt; empty where there was none.
        cause: On which it was given up, by slug; empty where it was not.
        why: It was given up, or cannot be read.
        kept: How far its newest snapshot is.
        command: That it was started with.
        attempts: How many there were.
    """

    run: str
    state: RunState | None = None
    cause: str = ""
    why: str = ""
    outcome: Outcome | Literal[""] = ""
    kept: Place = Place()
    seconds: float = 0.0
    command: tuple[str, ...] = ()
    attempts: int = 0


def name_runs(name: str, workers: int) -> tuple[str, ...]:
    """The ids of the runs of a training."""
    if workers == 1:
        return (name,)
    return tuple(name_worker(name, worker) for worker in range(workers))


def read_records(storage: str, runs: tuple[str, ...]) -> dict[str, RunRecord]:
    """The record of each of these runs."""
    return {run: read_record(Path(storage), run) for run in runs}


def read_record(storage: Path, run: str) -> RunRecord:
    """How one run stands; also where its folder is not there, or cannot be read."""
    folder = RunFolder(storage / run)
    if not folder.journal.is_file():
        return RunRecord(run=run)
    try:
        require_trusted(folder.path)
        found = fold_folder(folder)
    except UnreadableInput as error:
        return RunRecord(run=run, why=str(error))
    last = found.decisions[-1] if found.decisions else None
    has_stopped = last is not None and last.action == "stop"
    return RunRecord(
        run=run,
        state=found.state,
        outcome=found.attempts[-1].outcome if found.attempts else "",
        cause=last.cause if last is not None and has_stopped else "",
        why=last.text if last is not None and has_stopped else "",
        kept=found.saved[-1].place if found.saved else Place(),
        seconds=found.seconds,
        command=found.command,
        attempts=len(found.attempts),
    )
