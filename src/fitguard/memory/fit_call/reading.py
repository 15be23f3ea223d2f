"""The calls of `fit` behind a reference: those of FILE.py, or the one of FILE.py:FUNCTION."""

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path

from fitguard.contract.patching import patching
from fitguard.memory.fit_call.catching import Catch, Caught
from fitguard.memory.fit_call.elsewhere import ChildLine
from fitguard.memory.fit_call.finding import (
    FitCall,
    Visit,
    describe_call,
    read_source,
    visit_fit_calls,
)
from fitguard.memory.fit_call.functions import call, fit_arguments, parse_reference
from fitguard.memory.user_script import NoAnswer
from fitguard.schema.exit_codes import UnreadableInput, UsageError
from fitguard.schema.finding import Evidence

CHECK = "fitguard check"
WRONG_ARGUMENTS = 2
"""What `argparse` exits with."""


def visit_fits(
    reference: str,
    arguments: Sequence[str],
    visit: Visit,
    prepare: Callable[[], None] = lambda: None,
    *,
    command: str = CHECK,
) -> str:
    """Show each call of `fit`, and return why the script was not followed to its end, if so.

    Args:
        arguments: What the script finds behind its name in `sys.argv`.
        prepare: Called before the model is built.
        command: What was typed in front of the reference, for hints.

    Raises:
        UnreadableInput: where there is no such script, or it raises before its first `fit`.
        UsageError: where there is no call of `fit`.
    """
    try:
        file, function = parse_reference(reference)
        if not function:
            prepare()
            return visit_fit_calls(file, arguments, _show_place(visit, file))
        _show_place(visit, file, function)(_read_function_fit(reference, arguments, prepare))
    except UnreadableInput as error:
        if isinstance(error.__cause__, NoAnswer):
            raise UsageError(
                f"{error}.\nWrite all answers into a file, one in each line, and give it that: "
                f"`{command} {reference} < answers.txt`"
            ) from error
        if isinstance(error.__cause__, SystemExit) and not error.__cause__.code:
            place = str(error).partition("\n")[2].strip()
            where = f" ({place})" if place else ""
            name = Path(reference).name
            raise UsageError(
                f"{name} ends by itself, with exit code 0, before it calls fit{where}.\n"
                "If it trains with other arguments, give them behind two hyphens: "
                f"{command} {reference} -- --data images"
            ) from error
        hint = _hint_at_start(error.__cause__, reference, command)
        if hint:
            raise UnreadableInput(f"{error}\n{hint}") from error
        raise
    return ""


def _hint_at_start(error: BaseException | None, reference: str, command: str) -> str:
    """Where the script must be started otherwise, how."""
    if isinstance(error, SystemExit) and error.code == WRONG_ARGUMENTS:
        return (
            "It exits with 2 where its arguments are wrong. They go behind two hyphens: "
            f"{command} {reference} -- --data images"
        )
    if isinstance(error, ImportError) and "relative import" in str(error):
        script = Path(reference.rpartition(":")[0] or reference)
        package = script.absolute().parent.name
        return (
            f"It is a module of the package {package}. Write a script beside that folder with "
            f"`import {package}.{script.stem}` in it, and name that script instead."
        )
    return ""


def _show_place(visit: Visit, file: Path, function: str = "") -> Visit:
    """Shows each call with its line of the script, or with that of the function."""
    lines = read_source(file).decode(errors="replace").splitlines()

    begin = f"def {function}("
    defined = next((line for line, text in enumerate(lines, 1) if text.startswith(begin)), 0)

    def visit_placed(call: FitCall) -> bool:
        line = call.line or defined
        if not 0 < line <= len(lines):
            return visit(call)
        place = Evidence(lines[line - 1].strip(), str(file), line=line, path=str(file))
        return visit(dataclasses.replace(call, place=place))

    return visit_placed


def read_fit(
    reference: str,
    arguments: Sequence[str],
    prepare: Callable[[], None] = lambda: None,
    *,
    number: int = 1,
    command: str = CHECK,
) -> FitCall:
    """One call of `fit`, by its number.

    Raises:
        UnreadableInput, UsageError: as `visit_fits`, and where there are fewer calls.
    """
    found: list[FitCall] = []

    def visit(fit: FitCall) -> bool:
        found.append(fit)
        return fit.number < number

    ended = visit_fits(reference, arguments, visit, prepare, command=command)
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
        if catch.alone.needed:
            raise UsageError(
                f"{reference} cannot be looked at without the other processes of its cluster: "
                f"{catch.alone.needed}. Make the model outside of the strategy"
            ) from None
        if not calls:
            raise
        return describe_call(calls[0], number=1)
    finally:
        child.close()
    given = fit_arguments(result, reference, model_alone=True)
    model = given.pop("model")
    return FitCall(
        model=model,
        method="fit",
        arguments=given,
        line=0,
        jit_compile=catch.compiles.jit_compile(model),
        metrics=tuple(catch.compiles.metrics(model)),
        notes=tuple(note for note in (catch.alone.describe(),) if note),
    )
