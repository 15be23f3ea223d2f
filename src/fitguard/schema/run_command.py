"""The command of a run: a training, or a soak, and the words that go on with it."""

import shlex
from collections.abc import Sequence

SOAK_WORDS = ("fitguard", "probe", "--level", "long")
"""A run whose command begins so is no training."""
DEVICE_AT = len(SOAK_WORDS) + 1
"""Where the devices stand in the command of a soak, behind `--device`."""
ONLY_OPTION, PYTHON_OPTION = "--only", "--python"


def is_soak(command: Sequence[str]) -> bool:
    """Whether the run computes known things until it is told to stop."""
    return tuple(command[: len(SOAK_WORDS)]) == SOAK_WORDS


def name_starter(command: Sequence[str]) -> str:
    """What such a run is started with."""
    return " ".join(SOAK_WORDS) if is_soak(command) else "fitguard run"


def list_fixed_words(command: Sequence[str]) -> tuple[str, ...]:
    """Those that stay the same while a run goes on: of a soak, all up to its devices."""
    return tuple(command[: DEVICE_AT + 1] if is_soak(command) else command)


def read_only(command: Sequence[str]) -> tuple[str, ...]:
    """The computations that a soak was told."""
    if not is_soak(command) or ONLY_OPTION not in command:
        return ()
    rest = command[command.index(ONLY_OPTION) + 1 :]
    end = rest.index(PYTHON_OPTION) if PYTHON_OPTION in rest else len(rest)
    return tuple(rest[:end])


def describe_resume(run: str, command: Sequence[str], *, elsewhere: str = "") -> str:
    """What to type to go on with a run.

    Args:
        elsewhere: The folder of the runs, where it is not the usual one.
    """
    words = ["--runs", elsewhere] if elsewhere else []
    words += ["--resume", run]
    if is_soak(command) and PYTHON_OPTION in command:
        words += command[command.index(PYTHON_OPTION) :][:2]
    return f"{name_starter(command)} {' '.join(map(_quote, words))}"


def _quote(word: str) -> str:
    """As a shell takes it; a home folder that reports cut_middle stays one."""
    home = "~/" if word.startswith("~/") else ""
    return home + shlex.quote(word.removeprefix(home))
