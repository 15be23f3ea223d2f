"""`fitguard.fleet.run`: many trainings, to their end."""

import contextlib
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fitguard.fleet.connecting import connecting, require_ray
from fitguard.fleet.publishing import name_fleet, publishing
from fitguard.monitor.run_folder import RUNS
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.fleet import Fleet, FleetJob

if TYPE_CHECKING:
    from fitguard.fleet.storage.beginning import Begun

_LOOK_SECONDS = 0.5
_UNMARK_SECONDS = 10.0
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
        notes = (*found, *find_storage_notes(kept_in), *find_job_notes(os.environ, wanted, kept_in))
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
    from fitguard.fleet.dispatching import Dispatcher
    from fitguard.fleet.fleet_cards import FleetCards
    from fitguard.fleet.nodes import Nodes
    from fitguard.fleet.packing import Packer
    from fitguard.fleet.records import name_runs
    from fitguard.fleet.storage.beginning import begin

    runs = [run for job in jobs for run in name_runs(job.name, job.workers)]
    begun = begin(storage, runs, _list_hosts(), partial(_ask, is_asked), is_asked)
    packer = Packer()
    cards = FleetCards(Nodes(begun.storage, nodes), packer, tell)
    dispatcher = Dispatcher(
        jobs, begun.records, cards, packer, begun.storage, tell=tell, is_asked=is_asked
    )

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
        _unmark(begun)
    return describe(shown_as or "")


def _unmark(begun: "Begun") -> None:
    from fitguard.fleet.inspecting import unmark_storage

    hosts = _list_hosts()
    if begun.node and hosts:
        node = begun.node if begun.node in hosts else next(iter(hosts))
        _ask(lambda: False, (node,), unmark_storage, begun.storage, seconds=_UNMARK_SECONDS)


def _list_hosts() -> dict[str, str]:
    """The nodes that train, those with most GPUs first; all, where none has one yet."""
    import ray

    alive = [node for node in ray.nodes() if node["Alive"]]
    gpus = {node["NodeID"]: node["Resources"].get("GPU", 0) for node in alive}
    ordered = sorted(alive, key=lambda node: -gpus[node["NodeID"]])
    training = [node for node in ordered if gpus[node["NodeID"]] >= 1] or ordered
    return {node["NodeID"]: node["NodeManagerHostname"] for node in training}


def _ask(
    is_asked: Callable[[], bool],
    nodes: Sequence[str],
    function: Callable[..., Any],
    *arguments: object,
    seconds: float,
) -> dict[str, Any]:
    """Call a function on nodes: with ray://, this process may not see the storage.

    Args:
        is_asked: Whether all are to leave: then nothing is waited for.
    """
    import ray

    task = ray.remote(function)
    asked = {
        node: task.options(num_cpus=0, label_selector={"ray.io/node-id": node}).remote(*arguments)
        for node in nodes
    }
    left, until = list(asked.values()), time.monotonic() + seconds
    while left and time.monotonic() < until and not is_asked():
        left = ray.wait(left, num_returns=len(left), timeout=_LOOK_SECONDS)[1]
    answers: dict[str, Any] = {}
    for node, promise in asked.items():
        if promise in left:
            ray.cancel(promise, force=True)
            answers[node] = TimeoutError(f"it did not answer for {seconds:.0f} seconds")
            continue
        try:
            answers[node] = ray.get(promise)
        except ray.exceptions.RayTaskError as error:
            answers[node] = error.cause
        except ray.exceptions.RayError as error:
            answers[node] = error
    return answers
