"""What the user typed → the interpreter, the script or module, and their arguments."""

import os
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fitguard.clean_start import words_to_run
from fitguard.schema.exit_codes import UsageError
from fitguard.supervise.interpreters import find_python, require_fitguard

EXPECTED = "Expected `train.py ARGUMENTS`, `python train.py ARGUMENTS` or `-m MODULE ARGUMENTS`"

_PYTHON = re.compile(r"(?:python|pypy)[\d.]*t?(?:\.exe)?")
_WITH_VALUE = ("-X", "-W", "--check-hash-based-pycs")
"""Options of the interpreter whose value may be the next word."""


@dataclass(frozen=True)
class Command:
    """A Python program that can be started again and again.

    Args:
        python: The interpreter that trains.
        interpreter_options: Such as `-u`.
        target: `("train.py",)` or `("-m", "package.train")`.
        arguments: Of the script itself.
        given: As the user typed it.
        bootstrap: What the interpreter runs: it takes the run's folder, the target and the
            arguments.
        environment: Of the training; None for that of this process.
        leaving: What it does when it is asked to leave, for people.
    """

    python: str
    target: tuple[str, ...]
    arguments: tuple[str, ...] = ()
    interpreter_options: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    bootstrap: tuple[str, ...] = words_to_run("fitguard.keras.bootstrap")
    environment: Mapping[str, str] | None = None
    leaving: str = "the training takes a snapshot and stops"

    @property
    def name(self) -> str:
        """`train` for train.py and for `-m package.train`."""
        last = self.target[-1]
        return last.rpartition(".")[2] if self.target[0] == "-m" else Path(last).stem

    @property
    def as_given(self) -> tuple[str, ...]:
        """What the journal records; a second start with the same words is the same command."""
        return self.given or (*self.target, *self.arguments)

    def argv(self, folder: Path) -> list[str]:
        """The child's command line."""
        return [
            self.python,
            *self.interpreter_options,
            *self.bootstrap,
            str(folder),
            *self.target,
            *self.arguments,
        ]


def parse(words: Sequence[str]) -> Command:
    """The command that these words mean.

    Raises:
        UsageError: for what is no Python program, for a script that does not exist, and for an
            interpreter that cannot import fitguard.
    """
    if not words:
        raise UsageError(f"Received no command. {EXPECTED}")
    for word in words:
        require_utf8(word, "a word of the command")
    python, options, rest = _split_interpreter(words)
    target, arguments = _split_target(rest, words)
    return Command(
        python=python,
        target=target,
        arguments=arguments,
        interpreter_options=options,
        given=tuple(words),
    )


def require_utf8(text: str, meaning: str) -> None:
    """Raise `UsageError` for bytes that the journal, which is JSON, cannot hold."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise UsageError(
            f"Received {os.fsencode(text)!r} as {meaning}. Expected UTF-8, because fitguard "
            "writes it into the journal of the run"
        ) from error


def is_python(word: str) -> bool:
    """Whether a word names an interpreter: `python3.11`, `/usr/bin/python`."""
    return _PYTHON.fullmatch(Path(word).name) is not None


def begins_command(word: str) -> bool:
    """Whether a word is the first of a command, and not the id or the name of a run."""
    return word.endswith((".py", ".pyw")) or is_python(word) or Path(word).is_file()


def _split_interpreter(words: Sequence[str]) -> tuple[str, tuple[str, ...], list[str]]:
    """The interpreter, its options, and the words behind them."""
    if not is_python(words[0]):
        return sys.executable, (), list(words)
    python = find_python(words[0], EXPECTED)
    require_fitguard(python)
    options: list[str] = []
    rest = list(words[1:])
    while rest and rest[0].startswith("-") and rest[0] not in ("-m", "-c", "-"):
        with_value = rest[0] in _WITH_VALUE and len(rest) > 1
        options += rest[: 1 + with_value]
        del rest[: 1 + with_value]
    return python, tuple(options), rest


def _split_target(
    words: Sequence[str], typed: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if not words or words[0] in ("-c", "-"):
        raise UsageError(
            f"Received {' '.join(typed[:3])!r}: a script in a file, or a module, can be started "
            f"again after a crash; other programs cannot. {EXPECTED}"
        )
    if words[0] == "-m":
        if len(words) < 2:
            raise UsageError(f"Received -m without a module. {EXPECTED}")
        return ("-m", words[1]), tuple(words[2:])
    script = Path(words[0])
    if not script.is_file():
        raise UsageError(f"Received {words[0]}, which is {_describe_word(words[0])}. {EXPECTED}")
    if script.suffix not in (".py", ".pyw") and not _has_python_shebang(script):
        raise UsageError(
            f"Received {words[0]}, which is no Python script. {EXPECTED}; in a shell script, put "
            "`fitguard run` before `python`"
        )
    return (words[0],), tuple(words[1:])


def _describe_word(word: str) -> str:
    if Path(word).is_dir():
        return "a folder"
    if shutil.which(word):
        return "a program, but no Python script"
    return "no file" if word.endswith(".py") or "/" in word else "no Python script"


def _has_python_shebang(script: Path) -> bool:
    try:
        with script.open("rb") as file:
            first = file.readline(200)
    except OSError:
        return False
    return first.startswith(b"#!") and b"python" in first
