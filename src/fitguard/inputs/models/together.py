"""Trainings of several processes that a guard of one process cannot bring back."""

import os
import sys
from collections.abc import Mapping
from typing import Any

from fitguard.contract.compiling import strategy_name
from fitguard.facts.cluster import find_launcher
from fitguard.inputs.models.asking import ask


def describe_unguarded(model: Any, environment: Mapping[str, str] = os.environ) -> str:
    """Why a `fit` of this model is not guarded; empty where other processes are no reason.

    The end of a sentence that begins with *because*.
    """
    if ask(lambda: strategy_name(model), None) == "ParameterServerStrategy":
        return (
            "ParameterServerStrategy keeps the variables in other processes, whose workers take "
            "steps in an order that cannot be repeated. Nothing is snapshotted: save checkpoints "
            "with the callback BackupAndRestore. fitguard still watches this process, and explains "
            "its end"
        )
    _, processes = find_launcher(environment)
    if processes is not None and "horovod" in sys.modules:
        return (
            f"Horovod trains with {processes} processes, and fitguard sees this one alone: "
            "snapshots of each would be of different steps. Nothing is snapshotted: save "
            "checkpoints on rank 0, and load them at the start. fitguard explains the end of this "
            "process, and starts it again, but the others do not wait for it: start all of them "
            "again"
        )
    return ""
