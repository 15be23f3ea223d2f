"""What of a call of `fit` matters for the memory of a step, and for the data."""

from typing import Any

from fitguard.memory.fit_call.finding import FitCall
from fitguard.memory.fit_call.functions import EXPECTED, TAKEN
from fitguard.schema.exit_codes import UsageError

_PLANNED = ("batch_size", "x", "y", "sample_weight", "class_weight")


def planned_arguments(call: FitCall) -> dict[str, Any]:
    """The arguments of `fitguard.plan` that the call tells."""
    given = {name: call.arguments[name] for name in _PLANNED if name in call.arguments}
    return {"model": call.model, **given, "jit_compile": call.jit_compile}


def data_arguments(call: FitCall, reference: str) -> dict[str, Any]:
    """The arguments of `fitguard.check_data` that the call tells.

    Raises:
        UsageError: where it has no data.
    """
    given = {name: call.arguments[name] for name in TAKEN if name in call.arguments}
    if given.get("x") is None:
        raise UsageError(f"Received {reference} with a model alone. Expected {EXPECTED}")
    return {"model": call.model, **given}
