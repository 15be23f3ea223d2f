"""All runs of a folder as one document, made anew out of their journals."""

import contextlib
from collections.abc import Callable
from pathlib import Path

import msgspec

from fitguard.monitor.regular_files import UNDECODABLE, read_regular
from fitguard.monitor.run_folder import RUNS, RunFolder
from fitguard.monitor.samples import find_peak
from fitguard.monitor.trust import require_trusted
from fitguard.schema.exit_codes import UnreadableInput
from fitguard.schema.run import Run
from fitguard.schema.runs_report import RunsReport
from fitguard.supervise.past_runs import fold_folder, list_folders


def read_runs(
    runs_folder: str | Path = RUNS,
    *,
    trust_folder: bool = False,
    tell: Callable[[str, int, int], None] = lambda *_: None,
) -> RunsReport:
    """All runs of a folder, each with its attempts and what ended them; the newest last.

    A run that cannot be read, or whose folder others own or may write to, is listed as such.

    Args:
        trust_folder: Read them though others own a folder or may write to it.
        tell: Gets the run that is read, how many were read before it, and how many there are.

    Example:
        >>> [run.id for run in fitguard.read_runs().runs if len(run.attempts) > 1]

    Raises:
        UnreadableInput: where the folder itself cannot be read.
    """
    runs, unreadable = [], []
    folders = list(list_folders(runs_folder))
    for number, folder in enumerate(folders):
        tell(folder.id, number, len(folders))
        try:
            require_trusted(folder.path, trust_folder=trust_folder)
            runs.append(_read(folder))
        except UnreadableInput as error:
            unreadable.append(str(error))
    runs.sort(key=lambda run: (run.started, run.id))
    return RunsReport(folder=str(runs_folder), runs=tuple(runs), unreadable=tuple(unreadable))


class _Written(msgspec.Struct):
    """What is needed of a `run.json`."""

    peak_allocator_bytes: int = 0


def _read(folder: RunFolder) -> Run:
    run = fold_folder(folder)
    # All samples of a thousand runs would take minutes.
    peak_bytes = 0 if run.ended is None else _read_written(folder)
    return msgspec.structs.replace(
        run,
        peak_allocator_bytes=peak_bytes or find_peak(folder.flight_records),
        losses=(),
        saved=(),
        profiles=(),
    )


def _read_written(folder: RunFolder) -> int:
    """The peak as the parent wrote it at the end; 0 where it did not."""
    with contextlib.suppress(OSError, *UNDECODABLE):
        written = msgspec.json.decode(read_regular(folder.document), type=_Written)
        return written.peak_allocator_bytes
    return 0
