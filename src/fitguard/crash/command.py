"""What was started: the user's command, out of the words of a run or the lines of a log."""

import re
import shlex
from collections.abc import Sequence
from typing import NamedTuple

from fitguard.schema.crash import Line, Traceback

_PYTHON = re.compile(r"(?:.*[/\\])?python[\d.]*(?:\.exe)?")
_START = r"(?:[A-Z_]\w{0,60}=[\w./:,-]{0,200} +|nohup +|time +|exec +){0,9}"
_SCRIPT = r"(?:[\w./~-]{0,200}/)?python[\d.]{0,6}(?: +-[A-Za-z]\S{0,60}){0,9} +[\w./~-]{1,300}\.py"
_TYPED = re.compile(
    rf"[$#%>+❯] +{_START}(?P<command>{_SCRIPT}(?:[ ;&|].{{0,2000}})?)$"
    rf"|^{_START}(?P<line>{_SCRIPT}(?: +-.{{0,2000}})?)$"
)
"""A command behind the prompt of a shell; or a line that holds nothing else, and is no sentence."""
_LONGEST = 4000
_ENDS_COMMAND = re.compile(r"[;&|<>()]+")
_EXPANDED = re.compile(r"[$`*?\\!]")
"""The shell makes something else out of these: a quoted copy would mean another thing."""


class TrainingCommand(NamedTuple):
    """The words that were typed, and the script among them.

    Args:
        script: None for what is no file of Python, such as a module (`-m`).
    """

    words: tuple[str, ...]
    script: str | None
    arguments: tuple[str, ...] = ()


UNKNOWN_COMMAND = TrainingCommand(("train.py",), "train.py")
"""Stands for the user's own where nothing tells it."""


def read_command(words: Sequence[str]) -> TrainingCommand:
    """`python -u train.py --epochs 3`, or the same without `python`."""
    rest = list(words)
    if rest and _PYTHON.fullmatch(rest[0]):
        del rest[0]
        while rest and rest[0].startswith("-") and rest[0] != "-m":
            del rest[0]
    script = rest[0] if rest and rest[0].endswith((".py", ".pyw")) else None
    return TrainingCommand(tuple(words), script, tuple(rest[1:]) if script else ())


def find_command(lines: Sequence[Line], traceback: Traceback | None) -> TrainingCommand | None:
    """As a shell's line in the log shows it; else the script in which the traceback begins."""
    for line in lines:
        found = _TYPED.search(line.text[:_LONGEST]) if "python" in line.text else None
        if found and (words := _words(found["command"] or found["line"])):
            return read_command(words)
    if traceback is not None and traceback.frames[0].own:
        script = traceback.frames[0].file
        if script.endswith(".py"):
            return TrainingCommand((script,), script)
    return None


def _words(text: str) -> list[str]:
    """Up to where another command or a pipe begins; of what a shell expands, the script only."""
    parts = shlex.shlex(text, posix=True, punctuation_chars=True)
    parts.whitespace_split = True
    try:
        listed = list(parts)
    except ValueError:  # a quotation without its end
        return []
    ends = (n for n, word in enumerate(listed) if _ENDS_COMMAND.fullmatch(word))
    end = next(ends, len(listed))
    redirected = end < len(listed) and listed[end][0] in "<>" and listed[end - 1].isdecimal()
    words = listed[: end - redirected]
    if any(_EXPANDED.search(word) for word in words):
        return words[: 1 + next(n for n, word in enumerate(words) if word.endswith(".py"))]
    return words
