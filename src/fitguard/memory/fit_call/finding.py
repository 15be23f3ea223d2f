"""Runs a script up to where it would train, and on from there as if it had."""

import builtins
import contextlib
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

from fitguard.contract.libraries import Library
from fitguard.contract.patching import patching
from fitguard.inputs.models.library import require_tensorflow
from fitguard.inputs.sources.structure import leaves
from fitguard.memory.fit_call.catching import Catch, Caught, Stopped
from fitguard.memory.fit_call.elsewhere import ChildLine, Spawned, quiet_threads
from fitguard.memory.fit_call.pretending import Pretense
from fitguard.memory.user_script import NoAnswer, call_user_function, script_surroundings
from fitguard.schema.exit_codes import UnreadableInput, UsageError
from fitguard.schema.finding import Evidence


@dataclass(frozen=True, kw_only=True)
class FitCall:
    """A call by which a script trains.

    Args:
        number: Counted from 1, in the order in which the script makes them.
        method: `fit`, `train_on_batch`, `fit_generator`.
        arguments: By their names, as far as they were given, without the model.
        line: Of the script; the line that leads there, where a module of its own makes the call.
        jit_compile: What `compile` was given; without a GPU the model itself does not tell.
        metrics: The names that `compile` was given, the loss first; empty where it was not seen.
        place: Where the script makes it, or the function that returned its arguments.
        notes: What the user should know of it, one sentence each.
    """

    model: Any
    number: int = 1
    method: str
    arguments: dict[str, Any]
    line: int
    jit_compile: bool | str = "auto"
    metrics: tuple[str, ...] = ()
    place: Evidence | None = None
    notes: tuple[str, ...] = ()


Visit = Callable[[FitCall], bool]
"""Is shown a call; whether the script is to go on as if it had trained."""


def visit_fit_calls(path: Path, arguments: Sequence[str], visit: Visit) -> str:
    """Run a script as `python FILE` does, and show each call that would train.

    All that the script does before its first call is done: data are loaded, models are built.
    Nothing is trained. After a call it goes on without a result: it writes nothing, and is left
    where it needs what only training gives. What it prints goes to stderr.

    Args:
        arguments: What the script finds behind its name in `sys.argv`.

    Returns:
        A sentence; empty where the script came to its end, or `visit` stopped it.

    Raises:
        UnreadableInput: where there is no such script, or it raises before its first call.
        UsageError: where it does not call `fit`, or trains in a child process or in its own loop.
    """
    file = Path(path).absolute()
    following = _Following(file, read_source(file), visit)
    return following.run(arguments)


class _Following:
    """One run of a script."""

    def __init__(self, file: Path, source: bytes, visit: Visit) -> None:
        self._file = file
        self._source = source
        self._visit = visit
        self._child = ChildLine()
        self._pretense = Pretense(self._refuse)
        self._catch = Catch(file, self._child, self._show, self._pretense)
        self._spawned = Spawned(self._catch.line_of)
        self._batches: set[int] = set()
        self._ended = ""

    def run(self, arguments: Sequence[str]) -> str:
        with self._spawned.noticing():
            return self._follow(arguments)

    def _follow(self, arguments: Sequence[str]) -> str:
        tracing = sys.gettrace()
        try:
            with (
                script_surroundings(self._file, arguments),
                patching(self._catch.wraps(), loaded=_require_tensorflow),
                self._child.waking(Stopped),
                quiet_threads(Stopped),
            ):
                call_user_function(self._execute, self._file.name, self._file)
            line = self._child.read_line()
        except UnreadableInput as error:
            # What the script raised after it had caught our stop does not matter.
            if not self._catch.calls and self._catch.own_loop_line is None:
                raise
            line = None
            went_on = self._pretense.began or not self._catch.has_stopped
            if went_on and not self._ended:
                self._ended = _why_left(error)
        finally:
            sys.settrace(tracing)
            self._pretense.end()
            self._child.close()
        if not self._catch.calls:
            raise UsageError(_missing(self._file, self._catch, line, self._spawned.lines))
        if self._catch.own_loop_line is not None and not self._ended:
            self._ended = (
                f"The script was followed up to line {self._catch.own_loop_line}, where it trains "
                "in a loop of its own."
            )
        return self._ended

    def _execute(self) -> None:
        code = compile(self._source, str(self._file), "exec")
        with _as_main(self._file) as module, contextlib.suppress(Stopped):
            exec(code, module.__dict__)

    def _show(self, call: Caught) -> bool:
        goes_on = self._visit(describe_call(call, self._catch.calls))
        if goes_on and call.method == "train_on_batch":
            if call.line in self._batches:
                self._ended = (
                    f"Line {call.line} trains on single batches in a loop: what comes after it was "
                    "not looked at."
                )
                return False
            self._batches.add(call.line)
        return goes_on

    def _refuse(self, why: str) -> NoReturn:
        line = self._catch.line_of(sys._getframe(1))
        self._ended = self._ended or (
            f"The script was followed up to line {line}: without a trained model it is not let go "
            f"on, since {why}."
        )
        self._catch.stop()


def describe_call(call: Caught, number: int) -> FitCall:
    """The call as `fit` would get it."""
    arguments = dict(call.arguments)
    if call.method == "fit_generator" and "generator" in arguments:
        arguments["x"] = arguments.pop("generator")
    if call.method == "train_on_batch":
        arguments["batch_size"] = _samples(arguments.get("x"))
    beside = f"fit is called in the thread {call.thread}; the script went on beside it."
    return FitCall(
        model=call.model,
        number=number,
        method=call.method,
        arguments=arguments,
        line=call.line,
        jit_compile=call.jit_compile,
        metrics=call.metrics,
        notes=tuple(note for note in (call.others, beside if call.thread else "") if note),
    )


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


def read_source(file: Path) -> bytes:
    """The code of a script.

    Raises:
        UnreadableInput: where it cannot be read.
    """
    try:
        return file.read_bytes()
    except OSError as error:
        raise UnreadableInput(
            f"Received {file.name}, which cannot be read ({error.strerror}). Expected a Python "
            "script"
        ) from error


def _why_left(error: UnreadableInput) -> str:
    """What the script raised after its fits; that it left is no news."""
    if isinstance(error.__cause__, SystemExit):
        return ""
    first, _, place = str(error).partition("\n")
    where = f" ({place.strip()})" if place else ""
    if isinstance(error.__cause__, NoAnswer):
        return f"The script was not followed to its end: {first}{where}."
    return f"Without a trained model the script could not be followed further: {first}{where}."


def _missing(file: Path, catch: Catch, child_line: int | None, spawned: Sequence[int]) -> str:
    instead = (
        f"Write a function that returns the model, or (model, x, y), and name it: "
        f"{file.name}:FUNCTION"
    )
    if catch.alone.needed:
        return (
            f"{file.name} cannot be looked at without the other processes of its cluster: "
            f"{catch.alone.needed}.\n{instead}, with the model made outside of the strategy"
        )
    if child_line is not None:
        return f"{file.name} calls fit in a child process (line {child_line}).\n{instead}"
    if catch.own_loop_line is not None:
        return (
            f"{file.name} trains in a loop of its own: line {catch.own_loop_line} gives gradients "
            f"to the optimizer.\n{instead}. fitguard.plan also takes a function that does one step"
        )
    if spawned:
        return (
            f"{file.name} starts another process in line {spawned[0]}: if that one calls fit, "
            f"fitguard does not see it, and it has trained.\n{instead}"
        )
    return f"{file.name} ends without a call of fit.\n{instead}"


def _samples(x: Any) -> int | None:
    return next((int(leaf.value.shape[0]) for leaf in leaves(x, "x")), None)
