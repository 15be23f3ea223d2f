"""Runs a script of the user's inside of this process, as `python FILE` would."""

import contextlib
import os
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from fitguard.schema.exit_codes import UnreadableInput, UsageError


@contextlib.contextmanager
def script_surroundings(file: Path, arguments: Sequence[str] = ()) -> Iterator[None]:
    """Its folder first on the path, and these arguments for it alone.

    stdout is for the answer: what the script prints goes to stderr.
    """
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    # A look at data or shapes must not take all of a GPU's memory.
    os.environ.setdefault("TF_FORCE_GPU_ALLOW_GROWTH", "true")
    sys.path.insert(0, str(file.resolve().parent))
    own, sys.argv = sys.argv, [str(file), *arguments]
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        sys.argv = own


def call_user_function(function: Callable[[], Any], name: str, file: Path) -> Any:
    """What a function of the user's returns.

    Raises:
        UnreadableInput: where it raises, with the line of `file` that it came through last.
    """
    try:
        return function()
    except (UsageError, UnreadableInput, KeyboardInterrupt):
        raise
    except BaseException as error:  # the script may exit, too
        raise UnreadableInput(f"{name} raised {describe_error(error, file)}") from error


def describe_error(error: BaseException, file: Path) -> str:
    """The error, and the line of the user's file that it came through last."""
    text = _format_error(error)
    if isinstance(error, SyntaxError):
        place = f"\n  line {error.lineno}: {(error.text or '').strip()}" if error.lineno else ""
        return f"{type(error).__name__}: {error.msg}{place}"
    own = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).resolve() == file.resolve()
    ]
    return f"{text}\n  line {own[-1].lineno}: {own[-1].line}" if own else text


def _format_error(error: BaseException) -> str:
    name = type(error).__name__
    try:
        return f"{name}: {error}" if str(error) else name
    except Exception:  # an exception of the user's
        return name
