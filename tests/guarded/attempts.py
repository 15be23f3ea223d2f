"""A run folder as the parent leaves it, for trainings guarded inside of the test process."""

import contextlib
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from fitguard.keras.fitting.guarded_fits import GuardedFits
from fitguard.keras.fitting.wrapping import guarding
from fitguard.keras.session import Session
from fitguard.monitor.heartbeat import Heartbeat
from fitguard.monitor.run_folder import RunFolder
from fitguard.schema.journal import Orders


class Killed(BaseException):
    """Ends a training in the middle, as a kill would; what was written is there."""


@contextlib.contextmanager
def attempt(path: Path, number: int = 1, **orders: Any) -> Iterator[GuardedFits]:
    """One attempt of the run in `path`."""
    session = session_in(path, number, **orders)
    random.seed(session.orders.seed)
    np.random.seed(session.orders.seed)
    with guarding(session) as fits:
        yield fits


def session_in(path: Path, number: int = 1, **orders: Any) -> Session:
    """What a training process knows of the run in `path`."""
    folder = RunFolder(path)
    path.mkdir(exist_ok=True)
    given = Orders(attempt=number, seed=5, **{"plan": False, **orders})
    folder.orders.write_bytes(msgspec.json.encode(given))
    Heartbeat(folder.heartbeat, create=True).close()
    return Session.of(folder)


def events(fits: GuardedFits, kind: type) -> list[Any]:
    """What the journal holds of one kind."""
    return [event for event in fits.session.events() if isinstance(event, kind)]
