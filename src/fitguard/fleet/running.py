"""`fitguard.fleet.run`: many trainings, to their end."""

import contextlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from fitguard.fleet.connecting import connecting, require_ray
from fitguard.monitor.run_folder import RUNS
from fitguard.schema.fleet import Fleet, FleetJob

Listening = Callable[[], AbstractContextManager[Sequence[object]]]
"""Makes a list that is no longer empty once all trainings are to leave."""


def run(
    jobs: str | Path | Iterable[FleetJob | Mapping[str, Any]],
    *,
    address: str | None = None,
    local: bool = False,
    storage: str | Path = RUNS,
    tell: Callable[[str], None] = lambda _: None,
    listening: Listening = lambda: contextlib.nullcontext(()),
) -> Fleet:
    """Train all of these on the GPUs of a Ray cluster, or of this machine.

    Args:
        jobs: A `jobs.yaml`, or jobs with the keys that it has.
        address: Of the cluster; default: RAY_ADDRESS, or the one that runs on this machine.
        local: Use an embedded Ray on this machine, which ends with this call.
        storage: Folder of the runs, which all nodes see.
        tell: Gets a line for each start and end.

    Example:
        >>> fitguard.fleet.run([{"name": "a", "run": "train.py", "memory": "4GiB"}], local=True)

    Raises:
        UsageError: for jobs that cannot be, or where there is no Ray.
        UnreadableInput: for a file of jobs that cannot be read.
    """
    from fitguard.fleet.dispatching import Dispatcher
    from fitguard.fleet.inspecting import mark_storage, unmark_storage
    from fitguard.fleet.jobs import build_jobs, read_jobs
    from fitguard.fleet.nodes import Nodes

    require_ray()
    wanted = read_jobs(Path(jobs)) if isinstance(jobs, str | Path) else build_jobs(jobs)
    folder = str(Path(storage).expanduser().absolute())
    with connecting(address, local=local) as notes, listening() as asked:
        marker = mark_storage(folder)
        try:
            dispatcher = Dispatcher(
                wanted, Nodes(folder, marker), folder, tell=tell, is_asked=lambda: bool(asked)
            )
            dispatcher.run()
            return dispatcher.describe(notes)
        finally:
            unmark_storage(folder, marker)
