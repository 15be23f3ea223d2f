"""`fitguard.check()`: would this training get to its end?"""

import dataclasses
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from fitguard.contract.callbacks import list_callbacks
from fitguard.inputs.checking import check_data
from fitguard.inputs.models.together import describe_unguarded
from fitguard.memory.estimating import NotTraceable
from fitguard.memory.fit_call import TAKEN, FitCall, select_plan_arguments
from fitguard.memory.planning import plan
from fitguard.probes.doctor import doctor
from fitguard.readiness.naming import find_unnamable
from fitguard.readiness.request import FitOptions
from fitguard.readiness.standing_in import judge_on_gpus
from fitguard.readiness.verdict import compose_report
from fitguard.readiness.writing import find_unwritable
from fitguard.schema.check import CheckedFit, CheckReport
from fitguard.schema.data import DataReport
from fitguard.schema.exit_codes import UnreadableInput, UsageError
from fitguard.words import say_error

_MODEL_ALONE = "The model came without data: give (model, x, y) to have the data checked too."


class Checked(CheckReport, frozen=True, dict=True):
    """The report, which notebooks show as a page, with the data to give to `fit`."""

    @property
    def x(self) -> Any:
        """What was given as x; of a generator that was read, one that begins with that."""
        return self.__dict__["x"]


def check(
    model: Any,
    x: Any = None,
    y: Any = None,
    *,
    gpu: str | None = None,
    gpu_memory: int | None = None,
    free: int | None = None,
    budget_seconds: float = 2.0,
    machine: bool = True,
    **fit_arguments: Any,
) -> Checked:
    """Look at machine, data and memory before a training, and give one verdict.

    Nothing is trained, and nothing of model and data changes. Only a generator cannot be read
    twice: give `fit` the `x` of the report in its place.

    Args:
        model, x, y: As for `fit`.
        gpu: The name of the card: `RTX 3060`; by default the one of this machine.
        gpu_memory, free: The size of its memory, and what is free of it, in bytes.
        budget_seconds: What reading the data may take.
        machine: Whether to look at driver, CUDA and packages too.
        **fit_arguments: More arguments of `fit`: `batch_size`, `validation_data` …

    Returns:
        `report.verdict`: `ready`, `warnings` or `fails`; `report.ok` is False for the last.

    Raises:
        UsageError: for what `fit` does not take.

    Example:
        report = fitguard.check(model, x, y, batch_size=64)
        print(report)
    """
    unknown = [name for name in fit_arguments if name not in TAKEN]
    if unknown:
        raise UsageError(
            f"Received {', '.join(unknown)}. Expected arguments of fit: {', '.join(TAKEN)}"
        )
    began = time.monotonic()
    call = FitCall(model=model, method="fit", arguments={"x": x, "y": y, **fit_arguments}, line=0)
    options = FitOptions(gpu=gpu, gpu_memory=gpu_memory, free=free, budget_seconds=budget_seconds)
    given_back: list[Any] = [x]
    fit = check_fit(call, options, given_back.append)
    report = compose_report(
        doctor=doctor() if machine else None,
        fits=(fit,),
        seconds=time.monotonic() - began,
    )
    checked = Checked(**msgspec.structs.asdict(report))
    checked.__dict__["x"] = given_back[-1]
    return checked


def check_fit(
    call: FitCall, options: FitOptions, keep_x: Callable[[Any], None] = lambda _: None
) -> CheckedFit:
    """Look at one call of `fit`; what cannot be looked at is a note.

    Args:
        keep_x: Is given the x that `fit` must be given, where reading has used the first up.
    """
    given = {name: value for name, value in call.arguments.items() if name in TAKEN}
    if options.batch_size is not None:
        given["batch_size"] = options.batch_size
    notes: list[str] = []
    data = None
    if given.get("x") is not None:
        data = _attempt(
            "The data could not be checked", notes, lambda: _check(call, given, options)
        )
        if data is not None:
            given["x"] = data.x
            keep_x(data.x)
            # Streams that do not tell their batch size were read.
            given.setdefault("batch_size", data.facts.sources[0].batch_size)
            data = msgspec.structs.replace(data, place=call.place)
            data = judge_on_gpus(data, options.gpus, options.ignore)
    else:
        notes.append(_MODEL_ALONE)
    planned, doubt = None, ""
    try:
        planned = _attempt(
            "The memory could not be planned", notes, lambda: _plan(call, given, options, data)
        )
    except NotTraceable as error:
        doubt = str(error)
    if why := describe_unguarded(call.model):
        notes.append(f"fitguard run does not guard this fit, because {why}.")
    failures = _attempt("The callbacks could not be checked", notes, lambda: _find_failures(call))
    return describe_fit(
        call, data=data, plan=planned, failures=failures or (), doubt=doubt, notes=notes
    )


def describe_fit(call: FitCall, *, notes: Sequence[str] = (), **parts: Any) -> CheckedFit:
    """Which call it is, with its `data` and `plan`."""
    return CheckedFit(
        number=call.number,
        line=call.line,
        method=call.method,
        model=str(getattr(call.model, "name", type(call.model).__name__)),
        notes=(*call.notes, *notes),
        **parts,
    )


def _check(call: FitCall, given: Mapping[str, Any], options: FitOptions) -> Any:
    return check_data(
        call.model,
        **given,
        budget_seconds=options.budget_seconds,
        full=options.full,
        ignore=options.ignore,
    )


def _plan(
    call: FitCall, given: Mapping[str, Any], options: FitOptions, data: DataReport | None
) -> Any:
    many = data is not None and data.facts.model.replica_devices == "GPU"
    return plan(
        **select_plan_arguments(dataclasses.replace(call, arguments=dict(given))),
        replicas=data.facts.model.replicas if data is not None and many else None,
        gpu=options.gpu,
        gpu_memory=options.gpu_memory,
        free=options.free,
    )


def _find_failures(call: FitCall) -> tuple[str, ...]:
    callbacks = list_callbacks(call.arguments.get("callbacks"))
    return (*find_unwritable(callbacks), *find_unnamable(call, callbacks))


def _attempt(failing: str, notes: list[str], look: Callable[[], Any]) -> Any:
    try:
        return look()
    except NotTraceable:
        raise
    except (UsageError, UnreadableInput) as error:
        notes.append(f"{failing}: {error}")
    except Exception as error:  # of the user's model, of Keras, or of ours
        notes.append(f"{failing}: {say_error(error)}")
    return None
