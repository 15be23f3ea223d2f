"""Several workers: Keras is mended where it fails with them, and no worker waits for ever."""

from collections.abc import Callable
from typing import Any

from fitguard.contract.hooks import Role
from fitguard.contract.libraries import Library
from fitguard.contract.multi_worker import Told, WaitingLimits, mend_build, mend_reduction
from fitguard.contract.patching import Wrap, Wraps
from fitguard.keras.session import Session


def worker_wraps(session: Session) -> Wraps:
    """What is put around Keras and TensorFlow; it does something for several workers only."""
    orders = session.orders
    limits = WaitingLimits(orders.worker_heartbeat_seconds, orders.collective_seconds)
    return {
        Role.BUILT_FROM_BATCH: _telling(mend_build, session),
        Role.REPLICAS_REDUCED: _telling(mend_reduction, session),
        Role.WORKERS_JOINED: lambda original, _: limits.wrap_strategy(original),
        Role.COORDINATION_SET: lambda original, _: limits.wrap_coordination(original),
    }


def _telling(
    mend: Callable[[Callable[..., Any], Told], Callable[..., Any]], session: Session
) -> Wrap:
    """The mend of a function, which says once that it was needed."""

    def wrap(original: Callable[..., Any], library: Library) -> Callable[..., Any]:
        def told(name: str) -> None:
            session.note(
                "version",
                f"{library} cannot train under MultiWorkerMirroredStrategy (keras#20585). fitguard "
                f"mended its function {name} for this run",
            )

        return mend(original, told)

    return wrap
