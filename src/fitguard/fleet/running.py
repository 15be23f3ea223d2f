"""`fitguard.fleet.run`: many trainings, to their end."""

import contextlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from fitguard.fleet.connecting import connecting, require_ray
from fitguard.fleet.publishing import name_fleet, publishing
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
    name: str | None = None,
    tell: Callable[[str], None] = lambda _: None,
    listening: Listening = lambda: contextlib.nullcontext(()),
) -> Fleet:
    """Train all of these on the GPUs of a Ray cluster, or of this machine.

    Args:
        jobs: A `jobs.yaml`, or jobs with the keys that it has.
        address: Of the cluster; default: RAY_ADDRESS, or the one that runs on this machine.
        local: Use an embedded Ray on this machine, which ends with this call.
        storage: Folder of the runs, which all nodes see.
        name: That others on the cluster see it by; default: by the folder of the runs.
        tell: Gets a line for each start and end.

    Example:
        >>> fitguard.fleet.run([{"name": "a", "run": "train.py", "memory": "4GiB"}], local=True)

    Raises:
        UsageError: for jobs that cannot be, or where there is no Ray.
        UnreadableInput: for a file of jobs that cannot be read.
    """
    from fitguard.fleet.jobs import build_jobs, read_jobs

    require_ray()
    wanted = read_jobs(Path(jobs)) if isinstance(jobs, str | Path) else build_jobs(jobs)
    folder = str(Path(storage).expanduser().absolute())
    # Nobody else has the token of an embedded Ray: nothing is shown there.
    shown_as = None if local else name or name_fleet(folder)
    with connecting(address, local=local) as notes, listening() as asked:
        for note in notes:
            tell(note)
        return _dispatch(wanted, folder, shown_as, notes, tell, lambda: bool(asked))


def _dispatch(
    jobs: Sequence[FleetJob],
    storage: str,
    shown_as: str | None,
    notes: Sequence[str],
    tell: Callable[[str], None],
    is_asked: Callable[[], bool],
) -> Fleet:
    import ray

    from fitguard.fleet.dispatching import Dispatcher
    from fitguard.fleet.fleet_cards import FleetCards
    from fitguard.fleet.inspecting import mark_storage, unmark_storage
    from fitguard.fleet.nodes import Nodes
    from fitguard.fleet.packing import Packer
    from fitguard.fleet.records import name_runs, read_records

    marker = _do_there(mark_storage, storage)
    runs = tuple(run for job in jobs for run in name_runs(job.name, job.workers))
    records = _do_there(read_records, storage, runs)
    packer = Packer()
    cards = FleetCards(Nodes(storage, marker), packer, tell)
    dispatcher = Dispatcher(jobs, records, cards, packer, storage, tell=tell, is_asked=is_asked)

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
        with contextlib.suppress(ray.exceptions.RayError):
            _do_there(unmark_storage, storage, marker)
    return describe(shown_as or "")


def _do_there(function: Callable[..., Any], *arguments: object) -> Any:
    """Call a function on a node that trains: with ray://, this process may not see the storage."""
    import ray

    alive = [node for node in ray.nodes() if node["Alive"]]
    chosen = max(alive, key=lambda node: node["Resources"].get("GPU", 0))["NodeID"]
    task = ray.remote(function).options(num_cpus=0, label_selector={"ray.io/node-id": chosen})
    try:
        return ray.get(task.remote(*arguments))
    except ray.exceptions.RayTaskError as error:
        raise error.cause from None
