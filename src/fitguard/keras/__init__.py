"""The side of a guarded run that lives in the training process.

bootstrap.py   the child's main program: runs the user's script with Keras' `fit` guarded
session.py     what the child knows of the run: its folder, orders, journal, heartbeat
lone_session.py
               stands in its place where there is no run
termination.py SIGTERM to the child: a wish inside of `fit`, the end outside of it
standard_input.py
               what the script reads, kept for the next attempt
sources.py     the user's files that run, and which of them changed since an earlier attempt
fitting/       the guarded `fit`: resume, snapshots between steps, retry after out-of-memory
snapshots/     the files; state/ what goes into them
position/      which batch is next, and how to come back to it
microbatch/    one step of the optimizer in several passes
guard.py       `Guard`, for loops of the user's own
guarded_function.py
               a step of such a loop, which goes on in less memory
own_recomputing.py
               `recompute`, for steps of the user's own
own_micro_batching.py
               `micro_batch`, likewise
company.py     whom a training keeps step with: nobody, or gang.py, the other workers
leaving_together.py
               who leaves waits until all workers have the same snapshot
profiling/     traces of a few steps
callbacks/     `MemoryMonitor` and its kin, for any `fit`
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fitguard.keras.callbacks.leak_detector import LeakDetector as LeakDetector
    from fitguard.keras.callbacks.memory_monitor import MemoryMonitor as MemoryMonitor
    from fitguard.keras.callbacks.stop_on_pressure import StopOnPressure as StopOnPressure
    from fitguard.keras.guard import Guard as Guard
    from fitguard.keras.own_micro_batching import micro_batch as micro_batch
    from fitguard.keras.own_recomputing import recompute as recompute

__all__ = [
    "Guard",
    "LeakDetector",
    "MemoryMonitor",
    "StopOnPressure",
    "micro_batch",
    "recompute",
]

_PLACES = {
    "Guard": "fitguard.keras.guard",
    "LeakDetector": "fitguard.keras.callbacks.leak_detector",
    "MemoryMonitor": "fitguard.keras.callbacks.memory_monitor",
    "StopOnPressure": "fitguard.keras.callbacks.stop_on_pressure",
    "micro_batch": "fitguard.keras.own_micro_batching",
    "recompute": "fitguard.keras.own_recomputing",
}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'fitguard.keras' has no attribute {name!r}")
    return getattr(importlib.import_module(_PLACES[name]), name)
