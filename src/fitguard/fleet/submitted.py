"""What to know of a fleet that `ray job submit` has started: how it is stopped, where it works."""

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from fitguard.fleet.jobs import find_grace
from fitguard.fleet.storage.opening import is_remote
from fitguard.schema.fleet import FleetJob
from fitguard.supervise.copied_by_ray import find_place_in_copy
from fitguard.words import count

_CONFIG = "RAY_JOB_CONFIG_JSON_ENV_VAR"
_WAIT = "RAY_JOB_STOP_WAIT_TIME_S"
_USUAL_WAIT_SECONDS = 3
_GRACE_SECONDS = 25
"""That a training has to leave, if its job asks for nothing else."""
_COPY_SECONDS = 60
"""That its last copy has after that, where the storage is an address."""
_END_SECONDS = 5
_ADVISED_SECONDS = 150
_SPARE_SECONDS = 60
"""Beyond what trainings need: the fleet itself ends what does not leave, and then answers."""


def find_job_notes(
    environment: Mapping[str, str], jobs: Sequence[FleetJob], storage: str = ""
) -> tuple[str, ...]:
    """A sentence for each thing that the user may not expect; nothing where it is no job of Ray."""
    if not _is_submitted(environment):
        return ()
    notes = []
    wait_seconds = _read_wait(environment.get(_WAIT, ""))
    needed_seconds = _count_needed(jobs, storage)
    if wait_seconds < needed_seconds:
        advised_seconds = max(_ADVISED_SECONDS, needed_seconds + _SPARE_SECONDS)
        setting = json.dumps({"env_vars": {_WAIT: str(advised_seconds)}})
        notes.append(
            f"`ray job stop` waits {count(wait_seconds, 'second')} before it kills this fleet, and "
            f"trainings may take {count(needed_seconds, 'second')} to leave with their snapshots. "
            f"Expected of `ray job submit`: --runtime-env-json '{setting}'."
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


def _count_needed(jobs: Sequence[FleetJob], storage: str) -> int:
    """Seconds in which all trainings can leave."""
    graces = (find_grace(job) or _GRACE_SECONDS for job in jobs)
    copy_seconds = _COPY_SECONDS if is_remote(storage) else 0
    return math.ceil(max(graces, default=_GRACE_SECONDS)) + copy_seconds + _END_SECONDS


def _read_wait(text: str) -> int:
    return int(text) if text.isdecimal() else _USUAL_WAIT_SECONDS
