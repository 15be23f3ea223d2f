"""The start of a fleet: which node marks the storage, and tells how the runs in it stand.

all nodes look at it, at once       ──> those that see most of it count: others may lack a mount,
                                        and would make a folder of their own in its place
one of them marks it and reads      ──> all nodes should see that mark from now on
it cannot, or does not answer       ──> the next one of them
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from fitguard.fleet.inspecting import mark_storage, read_records
from fitguard.fleet.records import RunRecord
from fitguard.fleet.storage.bucket import describe_failure
from fitguard.fleet.storage.opening import MarkedStorage, open_storage
from fitguard.schema.exit_codes import UsageError
from fitguard.words import count

_ANSWER_SECONDS = 60.0
_RECORD_SECONDS = 1.0
"""For each run that is read, in addition: far more than one takes."""
_MOST_REASONS = 3

Ask = Callable[..., dict[str, Any]]
"""Calls a function on nodes: `ask(nodes, function, *arguments, seconds=…)`. What each of them
answers; an exception where it failed or was late."""


class Begun(msgspec.Struct, frozen=True):
    """The storage at the start of a fleet.

    Args:
        records: How the runs stand.
        node: That marked it; empty where nothing was marked.
    """

    storage: MarkedStorage
    records: dict[str, RunRecord]
    node: str = ""


def begin(
    storage: str,
    runs: Sequence[str],
    hosts: Mapping[str, str],
    ask: Ask,
    is_asked: Callable[[], bool],
) -> Begun:
    """Mark the storage, and read how these runs stand.

    Args:
        hosts: Of the nodes that train, by their numbers; the best one first.
        is_asked: Whether all are to leave: then nothing is marked or read.

    Raises:
        UsageError: where no node can use it.
    """
    seen = ask(tuple(hosts), count_seen, storage, seconds=_ANSWER_SECONDS)
    reasons = {node: one for node, one in seen.items() if isinstance(one, Exception)}
    most = max((one for node, one in seen.items() if node not in reasons), default=0)
    seconds = _ANSWER_SECONDS + len(runs) * _RECORD_SECONDS
    for node in (node for node, one in seen.items() if one == most):
        if is_asked():
            break
        answer = ask((node,), begin_here, storage, tuple(runs), seconds=seconds)[node]
        if not isinstance(answer, Exception):
            marked, records = answer
            return Begun(marked, records, node)
        reasons[node] = answer
    if is_asked():
        return Begun(MarkedStorage(storage, ""), {run: RunRecord(run=run) for run in runs})
    raise _explain(storage, reasons, hosts)


def count_seen(storage: str) -> int:
    """How much of the storage this node sees; of nodes that see less, none decides."""
    return open_storage(storage).count_seen()


def begin_here(storage: str, runs: tuple[str, ...]) -> tuple[MarkedStorage, dict[str, RunRecord]]:
    """Mark it here, and read.

    Raises:
        UsageError: where nothing can be written there.
    """
    return mark_storage(storage), read_records(storage, runs)


def _explain(
    storage: str, reasons: Mapping[str, Exception], hosts: Mapping[str, str]
) -> UsageError:
    if not reasons:
        return UsageError("Received a cluster without a node. Expected one that trains")
    refused = next((one for one in reasons.values() if isinstance(one, UsageError)), None)
    if refused is not None and len({str(one) for one in reasons.values()}) == 1:
        return refused
    told = [
        f"{hosts[node]}: {one if isinstance(one, UsageError) else describe_failure(one)}"
        for node, one in list(reasons.items())[:_MOST_REASONS]
    ]
    more = len(reasons) - len(told)
    told += [f"{count(more, 'more node')} likewise"] * (more > 0)
    return UsageError(
        f"Received --storage {storage}. Expected one that nodes can use. {'; '.join(told)}"
    )
