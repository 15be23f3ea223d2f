"""fitguard keeps TensorFlow/Keras training on NVIDIA GPUs alive.

Importing it imports nothing else: each public function is loaded when it is first used.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fitguard.crash.explanation import explain as explain
    from fitguard.environment.doctor import gather_facts as gather_facts
    from fitguard.environment.resolution import resolve as resolve
    from fitguard.inputs.checking import check_data as check_data
    from fitguard.memory.planning import plan as plan
    from fitguard.notebook.fitting import fit as fit
    from fitguard.notebook.magics import load_ipython_extension as load_ipython_extension
    from fitguard.probes.doctor import doctor as doctor
    from fitguard.readiness.checking import check as check
    from fitguard.readiness.probing import probe as probe
    from fitguard.schema.exit_codes import TrainingDied as TrainingDied
    from fitguard.schema.exit_codes import UnreadableInput as UnreadableInput
    from fitguard.schema.exit_codes import UsageError as UsageError
    from fitguard.supervise.all_runs import read_runs as read_runs
    from fitguard.supervise.past_runs import list_runs as list_runs
    from fitguard.supervise.past_runs import read_run as read_run
    from fitguard.supervise.pruning import prune_runs as prune_runs
    from fitguard.watching.watch import watch as watch

__version__ = "0.1.0"
__all__ = [
    "TrainingDied",
    "UnreadableInput",
    "UsageError",
    "__version__",
    "check",
    "check_data",
    "doctor",
    "explain",
    "fit",
    "gather_facts",
    "list_runs",
    "load_ipython_extension",
    "plan",
    "probe",
    "prune_runs",
    "read_run",
    "read_runs",
    "resolve",
    "watch",
]

_PLACES = {
    "TrainingDied": "fitguard.schema.exit_codes",
    "UnreadableInput": "fitguard.schema.exit_codes",
    "UsageError": "fitguard.schema.exit_codes",
    "check": "fitguard.readiness.checking",
    "check_data": "fitguard.inputs.checking",
    "doctor": "fitguard.probes.doctor",
    "explain": "fitguard.crash.explanation",
    "fit": "fitguard.notebook.fitting",
    "gather_facts": "fitguard.environment.doctor",
    "list_runs": "fitguard.supervise.past_runs",
    "load_ipython_extension": "fitguard.notebook.magics",
    "plan": "fitguard.memory.planning",
    "probe": "fitguard.readiness.probing",
    "prune_runs": "fitguard.supervise.pruning",
    "read_run": "fitguard.supervise.past_runs",
    "read_runs": "fitguard.supervise.all_runs",
    "resolve": "fitguard.environment.resolution",
    "watch": "fitguard.watching.watch",
}


def __getattr__(name: str) -> Any:
    if name == "fleet":
        return importlib.import_module("fitguard.fleet")
    if name not in _PLACES:
        raise AttributeError(f"module 'fitguard' has no attribute {name!r}")
    return getattr(importlib.import_module(_PLACES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
