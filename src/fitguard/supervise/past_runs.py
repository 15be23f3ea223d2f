"""Runs as documents, made anew out of their journals: also of runs whose parent died."""

import math
from collections.abc import Iterator
from pathlib import Path

import msgspec

from fitguard.monitor.folding import fold
from fitguard.monitor.journal import Journal
from fitguard.monitor.regular_files import UNDECODABLE
from fitguard.monitor.run_folder import RUNS, RunFolder
from fitguard.monitor.samples import read_samples
from fitguard.monitor.trust import require_trusted
from fitguard.report.rows.run_words import outcome, steps_kept
from fitguard.schema.exit_codes import UnreadableInput, UsageError
from fitguard.schema.run import MemorySample, Run
from fitguard.schema.run_list import RunLine, RunList
from fitguard.supervise.lock import seems_guarded

LAST = "last"
"""In place of an id: the run that something happened in last."""
_SHOWN = 5


def read_run(
    run: str | Path = LAST, *, runs_folder: str | Path = RUNS, trust_folder: bool = False
) -> Run:
    """One guarded run: its attempts, why each ended, what was decided, loss and memory.

    Args:
        run: Its id or a part of it that no other has, `last`, its folder, or a `run.json`.
        runs_folder: Where ids are looked for.
        trust_folder: Read it though others own its folder or may write to it.

    Example:
        >>> fitguard.read_run("last").attempts[-1].cause

    Raises:
        UsageError: for an id that no run has, or several.
        UnreadableInput: where the files of the run are broken, or could be those of others.
    """
    if Path(run).is_file():
        return _read_document(Path(run))
    folder = find_run(run, runs_folder)
    require_trusted(folder.path, trust_folder=trust_folder)
    return _fold_folder(folder, read_samples(folder.flight_records))


def list_runs(runs_folder: str | Path = RUNS, *, trust_folder: bool = False) -> RunList:
    """All runs of a folder, the newest last; without loss curves and samples.

    A run that cannot be read, or whose folder others own or may write to, is listed as such.

    Args:
        trust_folder: Read them though others own a folder or may write to it.

    Example:
        >>> [run.id for run in fitguard.list_runs().runs if run.state == "lost"]
    """
    lines, unreadable = [], []
    for folder in list_folders(runs_folder):
        try:
            require_trusted(folder.path, trust_folder=trust_folder)
            lines.append(summarize_run(folder))
        except UnreadableInput as error:
            unreadable.append(str(error))
    lines.sort(key=lambda line: (line.started, line.id))
    return RunList(folder=str(runs_folder), runs=tuple(lines), unreadable=tuple(unreadable))


def find_run(run: str | Path, runs_folder: str | Path = RUNS) -> RunFolder:
    """The folder of a run.

    Raises:
        UsageError: for an id that no run has, or several.
    """
    if not str(run).strip():
        raise UsageError("Received an empty id. Expected that of a run: `fitguard runs` lists them")
    if RunFolder(Path(run)).journal.is_file():
        return RunFolder(Path(run))
    known = {folder.id: folder for folder in list_folders(runs_folder)}
    if str(run) in known:
        return known[str(run)]
    if run == LAST and known:
        return max(known.values(), key=lambda folder: folder.journal.stat().st_mtime)
    begun = [folder for name, folder in known.items() if name.startswith(str(run))]
    within = [folder for name, folder in known.items() if str(run) in name]
    found = begun or within
    if len(found) == 1:
        return found[0]
    raise UsageError(
        _describe_expected(str(run), runs_folder, [folder.id for folder in found], list(known))
    )


def _describe_expected(
    run: str, runs_folder: str | Path, found: list[str], known: list[str]
) -> str:
    if found:
        named = ", ".join(found[-_SHOWN:])
        return f"Received {run}, which {len(found)} runs begin with or hold: {named}. Expected one"
    if not known:
        return (
            f"Received {run}, but there are no runs in {runs_folder}. Expected the folder of a "
            "run, or --runs-folder"
        )
    return (
        f"Received {run}, which is no run in {runs_folder}. Expected `last`, the folder of a run, "
        f"or an id: {', '.join(known[-_SHOWN:])}"
    )


def list_folders(runs_folder: str | Path) -> Iterator[RunFolder]:
    """All that hold a journal, by name, which is by time."""
    try:
        entries = sorted(Path(runs_folder).iterdir())
    except FileNotFoundError:
        return
    except OSError as error:
        raise UnreadableInput(
            f"{runs_folder}: {error.strerror}. Expected the folder of all runs"
        ) from error
    for entry in entries:
        if not entry.name.startswith(".") and RunFolder(entry).journal.is_file():
            yield RunFolder(entry)


def _fold_folder(folder: RunFolder, samples: list[MemorySample]) -> Run:
    try:
        events = Journal(folder.journal).read()
    except OSError as error:
        raise UnreadableInput(f"{folder.journal}: {error.strerror}") from error
    if not events:
        raise UnreadableInput(
            f"{folder.journal}: no line of it is an event. Expected the journal of a guarded run"
        )
    return fold(events, samples, folder=str(folder.path), alive=seems_guarded(folder))


def _read_document(file: Path) -> Run:
    try:
        return msgspec.json.decode(file.read_bytes(), type=Run)
    except (OSError, *UNDECODABLE) as error:
        raise UnreadableInput(f"{file}: {error}. Expected a run.json of fitguard") from error


def summarize_run(folder: RunFolder) -> RunLine:
    """One line on the run in a folder.

    Raises:
        UnreadableInput: where its journal is broken.
    """
    run = _fold_folder(folder, [])
    losses = [point.logs["loss"] for point in run.losses if "loss" in point.logs]
    failed = [attempt for attempt in run.attempts if attempt.cause]
    last = losses[-1] if losses and math.isfinite(losses[-1]) else None
    return RunLine(
        id=run.id,
        state=run.state,
        started=run.started,
        seconds=run.seconds,
        attempts=len(run.attempts),
        steps=steps_kept(run),
        loss=last,
        cause=failed[-1].cause if failed else "",
        ended=outcome(failed[-1]) if failed else "",
        command=run.command,
    )
