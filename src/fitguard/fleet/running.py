"""`fitguard.fleet.run`: many trainings, to their end."""

import contextlib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from fitguard.fleet.connecting import connecting, require_ray
from fitguard.fleet.publishing import name_fleet, publishing
from fitguard.monitor.run_folder import RUNS
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.fleet import Fleet, FleetJob

Listening = Callable[[], AbstractContextManager[Sequence[object]]]
"""Makes a list that is no longer empty once all trainings are to leave."""


def run(
    jobs: str | Path | Iterable[FleetJob | Mapping[str, Any]],
    *,
    address: str | None = None,
    local: bool = False,
    storage: str | Path = RUNS,
    name: str | None = None,
    nodes: int | None = None,
    tell: Callable[[str], None] = lambda _: None,
    listening: Listening = lambda: contextlib.nullcontext(()),
) -> Fleet:
    """Train all of these on the GPUs of a Ray cluster, or of this machine.

    Args:
        jobs: A `jobs.yaml`, or jobs with the keys that it has.
        address: Of the cluster; default: RAY_ADDRESS, or the one that runs on this machine.
        local: Use an embedded Ray on this machine, which ends with this call.
        storage: Folder of the runs, which all nodes see, or an address that fsspec reaches
            (`s3://bucket/runs`): then each node trains in a folder of its own.
        name: That others on the cluster see it by; default: by the folder of the runs.
        nodes: With cards that will come; before that, nothing is refused or planned.
        tell: Gets a line for each start and end.

    Example:
        >>> fitguard.fleet.run([{"name": "a", "run": "train.py", "memory": "4GiB"}], local=True)
        >>> fitguard.fleet.run([{"name": "b", "function": train, "arguments": {"lr": 0.1}}])

    Raises:
        UsageError: for jobs that cannot be, or where there is no Ray.
        UnreadableInput: for a file of jobs that cannot be read.
    """
    from fitguard.fleet.jobs import build_jobs, read_jobs
    from fitguard.fleet.jobs_here import require_here
    from fitguard.fleet.storage.opening import find_storage_notes, name_storage
    from fitguard.fleet.submitted import find_job_notes

    require_ray()
    wanted = read_jobs(Path(jobs)) if isinstance(jobs, str | Path) else build_jobs(jobs)
    if not wanted:
        raise UsageError("Received no jobs. Expected one or more")
    if local:
        require_here(wanted)
    kept_in = name_storage(storage, wanted)
    # Nobody else has the token of an embedded Ray: nothing is shown there.
    shown_as = None if local else name or name_fleet(kept_in)
    with connecting(address, local=local) as found, listening() as asked:
        notes = (*found, *find_storage_notes(kept_in), *find_job_notes(os.environ, wanted))
        for note in notes:
            tell(note)
        return _dispatch(wanted, kept_in, shown_as, nodes, notes, tell, lambda: bool(asked))


def _dispatch(
    jobs: Sequence[FleetJob],
    storage: str,
    shown_as: str | None,
    nodes: int | None,
    notes: Sequence[str],
    tell: Callable[[str], None],
    is_asked: Callable[[], bool],
) -> Fleet:
    import ray

    from fitguard.fleet.dispatching import Dispatcher
    from fitguard.fleet.fleet_cards import FleetCards
    from fitguard.fleet.inspecting import mark_storage, read_records, unmark_storage
    from fitguard.fleet.nodes import Nodes
    from fitguard.fleet.packing import Packer
    from fitguard.fleet.records import name_runs

    marked = _do_there(mark_storage, storage)
    runs = tuple(run for job in jobs for run in name_runs(job.name, job.workers))
    records = _do_there(read_records, storage, runs)
    packer = Packer()
    cards = FleetCards(Nodes(marked, nodes), packer, tell)
    dispatcher = Dispatcher(jobs, records, cards, packer, marked, tell=tell, is_asked=is_asked)

    def describe(name: str) -> Fleet:
        return dispatcher.describe(notes, name)

    showing = publishing(shown_as, describe) if shown_as else contextlib.nullcontext(lambda: None)
    try:
        with showing as publish:
            try:
                dispatcher.run(publish)
            finally:
                dispatcher.leave(publish)
    finally:
        cards.holder.drop_all()
        with contextlib.suppress(ray.exceptions.RayError, UsageError):
            _do_there(unmark_storage, marked)
    return describe(shown_as or "")


def _do_there(function: Callable[..., Any], *arguments: object) -> Any:
    """Call a function on a node that trains: with ray://, this process may not see the storage."""
    import ray

    from fitguard.fleet.storage.bucket import NodeLacks

    alive = [node for node in ray.nodes() if node["Alive"]]
    lacks: Exception | None = None
    for node in sorted(alive, key=lambda node: -node["Resources"].get("GPU", 0)):
        chosen = {"ray.io/node-id": node["NodeID"]}
        task = ray.remote(function).options(num_cpus=0, label_selector=chosen)
        try:
            return ray.get(task.remote(*arguments))
        except ray.exceptions.RayTaskError as error:
            if not isinstance(error.cause, NodeLacks):
                raise error.cause from None
            lacks = lacks or error.cause
    raise lacks or UsageError("Received a cluster without a node. Expected one that trains")
