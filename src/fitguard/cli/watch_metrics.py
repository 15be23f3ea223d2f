"""`fitguard watch --metrics`: the metrics of all runs of a folder, until Ctrl-C."""

import contextlib
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from fitguard.cli.console import complain
from fitguard.monitor.run_folder import RunFolder
from fitguard.schema.exit_codes import UnreadableInput, UsageError

_SEEN_SECONDS = 86400.0
"""A run in which nothing happened for so long is of no interest to a monitor."""


def serve_metrics(given: str, run: str | None, runs_folder: Path, *, trust_folder: bool) -> None:
    """Serve until the user ends it.

    Args:
        given: `[HOST:]PORT`.
        run: Only this one; None for all of the folder.

    Raises:
        UsageError: where the address cannot be served, or there is no such run.
    """
    from fitguard.monitor.prometheus.serving import format_address, read_address, serving_metrics
    from fitguard.supervise.past_runs import find_run

    host, port = read_address(given)
    only = None if run is None else find_run(run, runs_folder)

    def list_folders() -> list[RunFolder]:
        found = [only] if only is not None else _list_recent(runs_folder)
        return [folder for folder in found if _is_trusted(folder, trust_folder)]

    try:
        with serving_metrics((host, port), list_folders) as port:
            complain(f"Metrics for Prometheus: {format_address(host, port)}. Ctrl-C ends it")
            threading.Event().wait()
    except OSError as error:
        raise UsageError(
            f"Received --metrics {given}, which cannot be served: {error.strerror or error}. "
            "Expected a port that is free"
        ) from error


def _list_recent(runs_folder: Path) -> Iterator[RunFolder]:
    from fitguard.monitor.samples import list_flight_records
    from fitguard.supervise.past_runs import list_folders

    for folder in list_folders(runs_folder):
        with contextlib.suppress(OSError):
            files = (folder.journal, *list_flight_records(folder.flight_records))
            if max(file.stat().st_mtime for file in files) > time.time() - _SEEN_SECONDS:
                yield folder


def _is_trusted(folder: RunFolder, trust_folder: bool) -> bool:
    from fitguard.monitor.trust import require_trusted

    with contextlib.suppress(UnreadableInput):
        require_trusted(folder.path, trust_folder=trust_folder)
        return True
    return False
