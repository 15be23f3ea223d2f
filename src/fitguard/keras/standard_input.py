"""The script reads its standard input through what keeps it for the next attempt.

Programs that the script starts read it directly, and so does `os.read(0)`: that is not kept.
"""

import builtins
import functools
import getpass
import io
import os
import sys
from collections.abc import Callable
from typing import Any, TextIO

from fitguard.monitor.kept_input import VARIABLE, KeptInput


def keep_standard_input(say: Callable[[str], None]) -> None:
    """Have it kept, where the parent wants that."""
    number = os.environ.pop(VARIABLE, "")
    if not number.isdecimal() or sys.stdin is None:
        return
    try:
        os.set_inheritable(int(number), False)
    except OSError:  # a wrapper around Python has closed it
        return
    kept = KeptInput(int(number), say)
    text = _open_text(kept, sys.stdin)
    sys.stdin, sys.__stdin__ = text, text  # type: ignore[misc]
    if kept.isatty():
        # Both ask people in ways of their own.
        builtins.input = _answer_again(builtins.input, kept)
        getpass.getpass = _answer_again(getpass.getpass, kept)


def _open_text(kept: KeptInput, before: TextIO) -> Any:
    """As Python itself opens it."""
    text: Any = io.TextIOWrapper(
        io.BufferedReader(kept),
        encoding=before.encoding,
        errors=before.errors,
        newline="\n",
        line_buffering=bool(before.line_buffering),
    )
    text.mode = "r"
    return text


def _answer_again(ask: Callable[..., str], kept: KeptInput) -> Callable[..., str]:
    """What was answered in an earlier attempt; it is not shown, as it may be secret."""

    @functools.wraps(ask)
    def answer(*args: Any, **kwargs: Any) -> str:
        if line := kept.read_line_again():
            sys.stdout.write(f"{args[0] if args else ''}\n")
            return os.fsdecode(line).removesuffix("\n")
        given = ask(*args, **kwargs)
        kept.keep(os.fsencode(f"{given}\n"))
        return given

    return answer
