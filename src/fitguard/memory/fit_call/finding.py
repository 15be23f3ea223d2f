"""`find_fit_call`: runs a script up to where it would train."""

import ast
import builtins
import contextlib
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from fitguard.contract.libraries import Library
from fitguard.contract.patching import patched
from fitguard.inputs.models.library import require_tensorflow
from fitguard.inputs.sources.structure import leaves
from fitguard.memory.fit_call.catching import Catch, Caught, Stopped
from fitguard.memory.fit_call.elsewhere import ChildLine, quiet_threads
from fitguard.memory.user_script import called, script_surroundings
from fitguard.schema.exit_codes import UnreadableInput, UsageError


@dataclass(frozen=True, kw_only=True)
class FitCall:
    """The call by which a script begins to train.

    Args:
        method: `fit`, `train_on_batch`, `fit_generator`.
        arguments: By their names, as far as they were given, without the model.
        line: Of the script; the line that leads there, where a module of its own makes the call.
        jit_compile: What `compile` was given; without a GPU the model itself does not tell.
        notes: What the user should know of it, one sentence each.
    """

    model: Any
    method: str
    arguments: dict[str, Any]
    line: int
    jit_compile: bool | str = "auto"
    notes: tuple[str, ...] = ()


def find_fit_call(path: Path, arguments: Sequence[str] = ()) -> FitCall:
    """The first call that would train, found by running the script as `python FILE` does.

    All that the script does before it is done: data are loaded, models are built. The script ends
    there, and nothing is trained. What it prints goes to stderr.

    Args:
        arguments: What the script finds behind its name in `sys.argv`.

    Raises:
        UnreadableInput: where there is no such script, or it raises before.
        UsageError: where it does not call `fit`, or trains in a child process or in its own loop.
    """
    file = Path(path).absolute()
    source = _source(file)
    child = ChildLine()
    catch = Catch(file, child)
    try:
        _run(file, source, arguments, catch, child)
        if catch.call is None:
            raise UsageError(_missing(file, catch, child.told()))
    finally:
        child.close()
    return _fit_call(catch, catch.call, source)


def _run(
    file: Path, source: bytes, arguments: Sequence[str], catch: Catch, child: ChildLine
) -> None:
    def run() -> None:
        code = compile(source, str(file), "exec")
        with _as_main(file) as module, contextlib.suppress(Stopped):
            exec(code, module.__dict__)

    tracing = sys.gettrace()
    with (
        script_surroundings(file, arguments),
        patched(catch.wraps(), loaded=_require_tensorflow),
        child.waking(Stopped),
        quiet_threads(Stopped),
    ):
        try:
            called(run, file.name, file)
        except UnreadableInput:
            # What the script raised after it had caught our stop does not matter.
            if catch.call is None and catch.own_loop_line is None:
                raise
        finally:
            sys.settrace(tracing)


@contextlib.contextmanager
def _as_main(file: Path) -> Iterator[ModuleType]:
    """A module that stands for `__main__` meanwhile."""
    module = ModuleType("__main__")
    module.__dict__.update(__file__=str(file), __builtins__=builtins)
    before = sys.modules["__main__"]
    sys.modules["__main__"] = module
    try:
        yield module
    finally:
        sys.modules["__main__"] = before


def _require_tensorflow(library: Library) -> None:
    """Not to train on another backend, whose `fit` nobody catches."""
    backend = getattr(library.module("backend"), "backend", None)
    if backend is not None:
        require_tensorflow(str(backend()), "plan")


def _source(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise UnreadableInput(
            f"Received {file.name}, which cannot be read ({error.strerror}). Expected a Python "
            "script"
        ) from error


def _missing(file: Path, catch: Catch, child_line: int | None) -> str:
    instead = (
        f"Expected a script that calls fit itself, or {file.name}:FUNCTION where FUNCTION returns "
        "the model, or (model, x, y)"
    )
    if child_line is not None:
        return (
            f"Received {file.name}, which calls fit in a child process (line {child_line}). "
            f"{instead}"
        )
    if catch.own_loop_line is not None:
        return (
            f"Received {file.name}, which trains in a loop of its own: line {catch.own_loop_line} "
            f"gives gradients to the optimizer. {instead}; fitguard.plan takes the function that "
            "does one step, too"
        )
    return f"Received {file.name}, which ends without a call of fit. {instead}"


def _fit_call(catch: Catch, call: Caught, source: bytes) -> FitCall:
    arguments = dict(call.arguments)
    if call.method == "fit_generator" and "generator" in arguments:
        arguments["x"] = arguments.pop("generator")
    if call.method == "train_on_batch":
        arguments["batch_size"] = _samples(arguments.get("x"))
    notes = []
    if call.thread:
        notes.append(f"fit is called in the thread {call.thread}; the script went on beside it.")
    others = _other_lines(source, call)
    if others:
        lines = ", ".join(map(str, others))
        notes.append(
            f"The plan is for the {call.method} call in line {call.line}; the script has others "
            f"in line {lines}."
        )
    return FitCall(
        model=call.model,
        method=call.method,
        arguments=arguments,
        line=call.line,
        jit_compile=catch.jit_compile(call.model),
        notes=tuple(notes),
    )


def _samples(x: Any) -> int | None:
    return next((int(leaf.value.shape[0]) for leaf in leaves(x, "x")), None)


def _other_lines(source: bytes, call: Caught) -> list[int]:
    """Where else the same method of the same name is called: `model.fit` twice."""
    found = [
        (node.lineno, node.end_lineno or node.lineno, ast.unparse(node.func))
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == call.method
    ]
    own = {text for first, last, text in found if first <= call.line <= last}
    return sorted(
        first for first, last, text in found if text in own and not first <= call.line <= last
    )
