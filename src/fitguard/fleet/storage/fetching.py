"""A run out of a storage into a folder of runs, where `fitguard report` and `runs` see it."""

import secrets
import shutil
from pathlib import Path

from fitguard.fleet.storage.bucket import Bucket, StorageAway
from fitguard.fleet.storage.catalog import Catalog
from fitguard.fleet.storage.manifest import Number
from fitguard.fleet.storage.opening import is_remote
from fitguard.fleet.storage.pulling import NotWhole, bring_files
from fitguard.monitor.run_folder import create_runs_folder
from fitguard.schema.exit_codes import UnreadableInput, UsageError
from fitguard.supervise.naming import require_name


def fetch(storage: str, run: str, runs_folder: Path) -> tuple[Path, list[str]]:
    """The newest whole copy of a run; where it is now, and what the user should know.

    Raises:
        UsageError: for no address, a name that none can have, or one that is there already.
        UnreadableInput: where the storage has no such run, or cannot be read.
    """
    if not is_remote(storage):
        raise UsageError(f"Received {storage}. Expected an address: s3://BUCKET/FOLDER")
    require_name(run, "the name of a run")
    target = runs_folder / run
    if target.exists():
        raise UsageError(f"Received {run}, and {target} is there. Expected another --runs-folder")
    bucket = Bucket(storage.rstrip("/"))
    passed: list[str] = []
    try:
        copies, wrong = Catalog(bucket, run).read()
        numbers: list[Number] = sorted((*copies, *wrong), reverse=True)
        create_runs_folder(runs_folder)
        for number in numbers:
            if number in wrong:
                passed.append(f"the copy {number} is not whole: {wrong[number]}")
                continue
            if not copies[number].files:
                passed.append(f"the copy {number} is of a start that has kept nothing yet")
                continue
            place = runs_folder / f".{run}-{secrets.token_hex(4)}"
            try:
                bring_files(bucket, run, copies[number], place, lambda: None)
                place.rename(target)
            except NotWhole as error:
                passed.append(f"the copy {number} is not whole: {error}")
                continue
            finally:
                shutil.rmtree(place, ignore_errors=True)
            return target, passed
    except (StorageAway, OSError) as error:
        raise UnreadableInput(f"{storage}: {error}") from error
    raise UnreadableInput("; ".join(passed) or f"{storage} has no run {run}")
