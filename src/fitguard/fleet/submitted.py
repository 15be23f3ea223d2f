"""What to know of a fleet that `ray job submit` has started: how it is stopped, where it works."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from fitguard.schema.fleet import FleetJob
from fitguard.supervise.copied_by_ray import find_place_in_copy
from fitguard.words import count

_CONFIG = "RAY_JOB_CONFIG_JSON_ENV_VAR"
_WAIT = "RAY_JOB_STOP_WAIT_TIME_S"
_USUAL_WAIT_SECONDS = 3
_ENOUGH_SECONDS = 30
"""A training has 25 to leave: the usual --grace-seconds."""
_ADVISED_SECONDS = 150
"""More than all of them have together, until the fleet ends what does not leave."""


def find_job_notes(environment: Mapping[str, str], jobs: Iterable[FleetJob]) -> tuple[str, ...]:
    """A sentence for each thing that the user may not expect; nothing where it is no job of Ray."""
    if not _is_submitted(environment):
        return ()
    notes = []
    wait_seconds = _read_wait(environment.get(_WAIT, ""))
    if wait_seconds < _ENOUGH_SECONDS:
        setting = json.dumps({"env_vars": {_WAIT: str(_ADVISED_SECONDS)}})
        notes.append(
            f"`ray job stop` waits {count(wait_seconds, 'second')} before it kills this fleet: "
            "large models may need more for their snapshots. Expected of `ray job submit`: "
            f"--runtime-env-json '{setting}'."
        )
    copied = [job.name for job in jobs if find_place_in_copy(Path(job.folder)) is not None]
    if copied:
        notes.append(
            f"Ray has made a copy of --working-dir for {count(len(copied), 'training')} "
            f"({copied[0]}{', …' if copied[1:] else ''}): what is written there is lost when Ray "
            "removes it. Give jobs whose results you need an absolute `folder`."
        )
    return tuple(notes)


def _is_submitted(environment: Mapping[str, str]) -> bool:
    try:
        metadata = json.loads(environment.get(_CONFIG, "{}")).get("metadata") or {}
    except (ValueError, AttributeError):
        return False
    return "job_submission_id" in metadata


def _read_wait(text: str) -> int:
    return int(text) if text.isdecimal() else _USUAL_WAIT_SECONDS
