"""Each call of `fit` that a script makes, looked at once: those that are alike are counted."""

from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from fitguard.inputs.models.asking import ask, trait
from fitguard.memory.dtype_policy import set_policy
from fitguard.memory.fit_call import CHECK, FitCall, later_lines, visit_fits
from fitguard.schema.exit_codes import UnreadableInput

MOST_FITS = 8
"""More different calls of one script are not looked at."""

Likeness = tuple[int, str, int | None, int | None, int]
"""Line, method, batch size, parameters, and how many variables are trained."""
Look = Callable[[FitCall], None]


class Left(NamedTuple):
    """What was not looked at.

    Args:
        notes: One sentence each.
        missed: Lines of the script that call `fit`, below where it was left.
    """

    notes: tuple[str, ...]
    missed: tuple[int, ...]


def look_at_fits(
    reference: str,
    arguments: Sequence[str],
    look: Look,
    policy: str | None = None,
    *,
    command: str = CHECK,
) -> Left:
    """Look at each call of `fit` behind a reference.

    Args:
        arguments: Of the script itself.
        policy: The dtype policy that is set before the model is built.
        command: What was typed in front of the reference, for hints.

    Raises:
        UnreadableInput, UsageError: where no call was reached.
    """

    def prepare() -> None:
        if policy is not None:
            set_policy(policy)

    visitor = _Visitor(look)
    script = Path(reference).absolute()  # the script may change the folder
    ended = visit_fits(reference, arguments, visitor.visit, prepare, command=command)
    if not ended:
        return Left(tuple(visitor.notes()), ())
    return Left((*visitor.notes(), ended), find_missed(script, visitor.lines()))


def find_missed(script: Path, seen: Collection[int]) -> tuple[int, ...]:
    """Lines of a script that call `fit`, below those that were seen; none for a function."""
    try:
        return tuple(later_lines(script, seen)) if script.suffix == ".py" else ()
    except (UnreadableInput, SyntaxError):  # it is gone, or written for another Python
        return ()


class _Visitor:
    def __init__(self, look: Look) -> None:
        self._look = look
        self._seen: dict[Likeness, int] = {}

    def visit(self, call: FitCall) -> bool:
        alike = _likeness(call)
        self._seen[alike] = self._seen.get(alike, 0) + 1
        if self._seen[alike] == 1 and len(self._seen) <= MOST_FITS:
            self._look(call)
        return True

    def lines(self) -> set[int]:
        """Where the calls are that were seen."""
        return {line for line, *_ in self._seen}

    def notes(self) -> Iterator[str]:
        for (line, *_), calls in list(self._seen.items())[:MOST_FITS]:
            if calls > 1:
                again = "once more" if calls == 2 else f"{calls - 1} more times"
                yield f"Line {line} trains a model of the same size {again}."
        if len(self._seen) > MOST_FITS:
            yield f"{len(self._seen) - MOST_FITS} more calls of fit were not looked at."


def _likeness(call: FitCall) -> Likeness:
    model = call.model
    parameters = ask(model.count_params, None) if trait(model, "built", False) else None
    # Keras 2 raises where the first batch is to build the model.
    trained = len(trait(model, "trainable_variables", ()))
    return call.line, call.method, call.arguments.get("batch_size"), parameters, trained
