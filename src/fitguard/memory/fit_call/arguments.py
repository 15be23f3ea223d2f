"""What of a call of `fit` matters for the memory of a step, and for the data."""

from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np

from fitguard.memory.fit_call.finding import FitCall
from fitguard.memory.fit_call.functions import EXPECTED, TAKEN
from fitguard.schema.data import DataReport
from fitguard.schema.exit_codes import UsageError

_PLANNED = ("batch_size", "x", "y", "sample_weight", "class_weight")


def select_plan_arguments(call: FitCall) -> dict[str, Any]:
    """The arguments of `fitguard.plan` that the call tells."""
    given = {name: call.arguments[name] for name in _PLANNED if name in call.arguments}
    rows = _rows_of(call.arguments)
    if rows is not None and given.get("batch_size"):
        given["batch_size"] = min(given["batch_size"], rows)
    return {"model": call.model, **given, "jit_compile": call.jit_compile}


def _rows_of(arguments: Mapping[str, Any]) -> int | None:
    """How many rows there are to train on, if they are arrays: no batch is larger."""
    x = arguments.get("x")
    while isinstance(x, list | tuple | dict) and x:
        x = next(iter(x.values() if isinstance(x, dict) else x))
    if not isinstance(x, np.ndarray) or not x.ndim:
        return None
    return max(1, int(len(x) * (1 - (arguments.get("validation_split") or 0.0))))


def select_data_arguments(call: FitCall, reference: str) -> dict[str, Any]:
    """The arguments of `fitguard.check_data` that the call tells.

    Raises:
        UsageError: where it has no data.
    """
    given = {name: call.arguments[name] for name in TAKEN if name in call.arguments}
    if given.get("x") is None:
        raise UsageError(f"Received {reference} with a model alone. Expected {EXPECTED}")
    return {"model": call.model, **given}


def place_findings(report: DataReport, call: FitCall) -> DataReport:
    """The same findings, each with the line of the script that makes the call."""
    if call.place is None:
        return report
    findings = tuple(
        msgspec.structs.replace(finding, evidence=(*finding.evidence, call.place))
        for finding in report.findings
    )
    return msgspec.structs.replace(report, findings=findings)
