"""Jobs that train on this machine: what they start from is looked for before anything starts."""

from collections.abc import Iterable
from pathlib import Path

from fitguard.fleet.wrong_jobs import list_lines
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.fleet import FleetJob


def require_here(jobs: Iterable[FleetJob]) -> None:
    """Refuse jobs whose folder or script is missing.

    Raises:
        UsageError: with all of them.
    """
    missing = [text for job in jobs if (text := _find_missing(job))]
    if missing:
        raise UsageError(list_lines(missing))


def _find_missing(job: FleetJob) -> str:
    folder = Path(job.folder)
    if not folder.is_dir():
        return f"job {job.name}: Received folder: {folder}, which is no folder. Expected one"
    script = folder / job.command[0]
    if script.suffix == ".py" and not script.is_file():
        return f"job {job.name}: Received run: {job.command[0]}, and there is no {script}"
    return ""
