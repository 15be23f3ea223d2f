"""The calls of `fit` behind a reference: those of FILE.py, or the one of FILE.py:FUNCTION."""

from collections.abc import Callable, Sequence
from pathlib import Path

from fitguard.contract.patching import patching
from fitguard.memory.fit_call.catching import Catch, Caught
from fitguard.memory.fit_call.elsewhere import ChildLine
from fitguard.memory.fit_call.finding import FitCall, Visit, describe_call, visit_fit_calls
from fitguard.memory.fit_call.functions import call, fit_arguments, parse_reference
from fitguard.schema.exit_codes import UnreadableInput, UsageError

WRONG_ARGUMENTS = 2
"""What `argparse` exits with."""


def visit_fits(
    reference: str,
    arguments: Sequence[str],
    visit: Visit,
    prepare: Callable[[], None] = lambda: None,
) -> str:
    """Show each call of `fit`, and return why the script was not followed to its end, if so.

    Args:
        arguments: What the script finds behind its name in `sys.argv`.
        prepare: Called before the model is built.

    Raises:
        UnreadableInput: where there is no such script, or it raises before its first `fit`.
        UsageError: where there is no call of `fit`.
    """
    try:
        file, function = parse_reference(reference)
        if not function:
            prepare()
            return visit_fit_calls(file, arguments, visit)
        visit(_read_function_fit(reference, arguments, prepare))
    except UnreadableInput as error:
        left = error.__cause__
        if isinstance(left, SystemExit) and left.code == WRONG_ARGUMENTS:
            raise UnreadableInput(
                f"{error}\nThe script's own arguments go behind two hyphens: "
                f"{Path(reference).name} -- --data images"
            ) from error
        raise
    return ""


def read_fit(
    reference: str,
    arguments: Sequence[str],
    prepare: Callable[[], None] = lambda: None,
    *,
    number: int = 1,
) -> FitCall:
    """One call of `fit`, by its number.

    Raises:
        UnreadableInput, UsageError: as `visit_fits`, and where there are fewer calls.
    """
    found: list[FitCall] = []

    def visit(fit: FitCall) -> bool:
        found.append(fit)
        return fit.number < number

    ended = visit_fits(reference, arguments, visit, prepare)
    if len(found) < number:
        calls = "one call" if len(found) == 1 else f"{len(found)} calls"
        told = f"Received --fit {number}, but {Path(reference).name} has {calls} of fit. {ended}"
        raise UsageError(told.strip())
    return found[-1]


def _read_function_fit(
    reference: str, arguments: Sequence[str], prepare: Callable[[], None]
) -> FitCall:
    """What the function returns; or the `fit` that it calls itself, which does not train."""
    calls: list[Caught] = []
    child = ChildLine()

    def show(found: Caught) -> bool:
        calls.append(found)
        return False

    catch = Catch(parse_reference(reference)[0].absolute(), child, show)
    try:
        with patching(catch.wraps()):
            result = call(reference, prepare, arguments)
    except UnreadableInput:
        if catch.own_loop_line is not None:
            raise UsageError(
                f"{reference} trains in a loop of its own (line {catch.own_loop_line}). Expected a "
                "function that returns the model, or (model, x, y)"
            ) from None
        if not calls:
            raise
        return describe_call(calls[0], number=1)
    finally:
        child.close()
    given = fit_arguments(result, reference, model_alone=True)
    model = given.pop("model")
    return FitCall(
        model=model, method="fit", arguments=given, line=0, jit_compile=catch.jit_compile(model)
    )
