"""Runs a script of the user's inside of this process, as `python FILE` would."""

import builtins
import contextlib
import os
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from fitguard.schema.exit_codes import UnreadableInput, UsageError
from fitguard.words import say_error, without_escapes

_INPUT = builtins.input


class NoAnswer(EOFError):
    """The script asked with `input()`, and standard input gave no answer: what it asked."""


@contextlib.contextmanager
def script_surroundings(file: Path, arguments: Sequence[str] = ()) -> Iterator[None]:
    """Its folder first on the path, and these arguments for it alone.

    stdout is for the answer: what the script prints goes to stderr. Where it asks and nobody
    answers, `NoAnswer` says what was asked.
    """
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    # A look at data or shapes must not take all of a GPU's memory.
    os.environ.setdefault("TF_FORCE_GPU_ALLOW_GROWTH", "true")
    sys.path.insert(0, str(file.resolve().parent))
    own, sys.argv = sys.argv, [str(file), *arguments]
    read, builtins.input = builtins.input, _ask
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        sys.argv = own
        builtins.input = read


def _ask(prompt: object = "", /) -> str:
    try:
        return _INPUT(prompt)
    except EOFError:
        raise NoAnswer(without_escapes(str(prompt)).strip()) from None


def call_user_function(function: Callable[[], Any], name: str, file: Path) -> Any:
    """What a function of the user's returns.

    Raises:
        UnreadableInput: where it raises, with the line of `file` that it came through last.
    """
    try:
        return function()
    except (UsageError, UnreadableInput, KeyboardInterrupt):
        raise
    except NoAnswer as error:
        line = _own_line(error, file)
        where = f" in line {line.lineno}" if line else ""
        asked = f" ({error})" if str(error) else ""
        raise UnreadableInput(
            f"{name} asks for input{where}{asked}, and standard input has no answer"
        ) from error
    except BaseException as error:  # the script may exit, too
        raise UnreadableInput(f"{name} raised {describe_error(error, file)}") from error


def describe_error(error: BaseException, file: Path) -> str:
    """The error, and the line of the user's file that it came through last."""
    if isinstance(error, SyntaxError):
        place = f"\n  line {error.lineno}: {(error.text or '').strip()}" if error.lineno else ""
        return f"{type(error).__name__}: {error.msg}{place}"
    line = _own_line(error, file)
    return f"{say_error(error)}\n  line {line.lineno}: {line.line}" if line else say_error(error)


def _own_line(error: BaseException, file: Path) -> traceback.FrameSummary | None:
    own = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).resolve() == file.resolve()
    ]
    return own[-1] if own else None
