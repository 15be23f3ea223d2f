"""What a key of a job may be: one function for each, from what was written to what it means.

All of them raise `UsageError`, with what was received and what was expected.
"""

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from fitguard.memory.sizes import size_bytes
from fitguard.schema.exit_codes import UsageError
from fitguard.supervise.naming import MOST_WORKERS
from fitguard.words import short

_WHOLE = re.compile(r"[+-]?\d{1,12}")
_VARIABLE = re.compile(r"[^=\0]+")
_LONGEST = 80
_TIME = re.compile(r"(\d+\.?\d*|\.\d+)\s*(d|h|min|m|s)", re.IGNORECASE)
_UNIT_SECONDS = {"d": 86400, "h": 3600, "min": 60, "m": 60, "s": 1}
_LONGEST_SECONDS = 10 * 365 * 86400
"""More is no training, but a slip of the keyboard."""
_SAYS_ITSELF = {
    "--name": "`name:` of the job",
    "--python": "`python:` of the job",
    "--workers": "`workers:` of the job",
    "--gang": "`workers:` of the job",
    "--worker": "`workers:` of the job",
    "--min-workers": "as many workers as the job has",
    "--memory-limit": "`memory:` of the job",
    "--resume": "no such option: the fleet goes on with every run by itself",
    "--runs-folder": "no such option: all runs are in the storage of the fleet",
    "--runs": "no such option: all runs are in the storage of the fleet",
    "--preempt-exit-code": "no such option: the fleet relies on its default",
}
"""Options of `fitguard run` that the fleet sets, and what to use instead."""
_CHOSEN = ("CUDA_VISIBLE_DEVICES", "TF_CONFIG")
_WITHOUT_A_CARD = ("", "-1")


def read_text(key: str, given: Any) -> str:
    """A text that is not empty."""
    if not isinstance(given, str) or not given.strip() or "\0" in given:
        raise refuse(key, given, "a text")
    return str(given)


def read_words(key: str, given: Any) -> tuple[str, ...]:
    """Words of a command line: a text as for a shell, or a list of words."""
    if isinstance(given, str):
        try:
            words = shlex.split(given)
        except ValueError as error:
            raise refuse(key, given, f"words as for a shell ({error})") from error
    else:
        words = list(_read_list(key, given, "words as for a shell, or a list of words"))
    if any("\0" in word for word in words):
        raise refuse(key, given, "words without null characters")
    return tuple(map(str, words))


def read_command(key: str, given: Any) -> tuple[str, ...]:
    """What stands behind `fitguard run`."""
    words = read_words(key, given)
    if not words or not words[0]:
        raise refuse(key, given, "a script and its arguments: run: train.py --lr 0.1")
    return words


def read_options(key: str, given: Any) -> tuple[str, ...]:
    """Options of `fitguard run`, without those that the fleet sets itself."""
    words = read_words(key, given)
    require_free_options(words)
    return words


def require_free_options(words: Sequence[str]) -> None:
    """Refuse what the fleet sets itself, and what would be a command."""
    if words and not words[0].startswith("-"):
        raise refuse("options", words[0], "options of `fitguard run`, such as --exact-only")
    for word in words:
        option = word.partition("=")[0].replace("_", "-")
        if option in _SAYS_ITSELF:
            raise UsageError(
                f"Received options: {word}, which the fleet sets itself. Expected "
                f"{_SAYS_ITSELF[option]}"
            )
        if option in ("--", "-m"):
            raise refuse("options", word, "options only; the command belongs into `run:`")


def read_variables(key: str, given: Any) -> dict[str, str]:
    """Variables of the environment."""
    if not isinstance(given, Mapping):
        raise refuse(key, given, 'a mapping: environment: {TF_DETERMINISTIC_OPS: "1"}')
    for name, value in given.items():
        whole = isinstance(value, int) and not isinstance(value, bool)
        if not isinstance(name, str) or not _VARIABLE.fullmatch(name):
            raise refuse(key, name, "the name of a variable")
        if not (isinstance(value, str) or whole) or "\0" in str(value):
            raise refuse(f"{key}: {name}", value, "a text")
    variables = {str(name): str(value) for name, value in given.items()}
    require_free_variables(variables)
    return variables


def require_free_variables(variables: Mapping[str, str]) -> None:
    """Refuse those with which a job would take what the fleet has not given to it."""
    for name, value in variables.items():
        option = "--" + name.removeprefix("FITGUARD_RUN_").lower().replace("_", "-")
        if name.startswith("FITGUARD_RUN_") and option in _SAYS_ITSELF:
            raise UsageError(
                f"Received environment: {name}, which the fleet sets itself as {option}. Expected "
                f"{_SAYS_ITSELF[option]}"
            )
        if name in _CHOSEN and value not in _WITHOUT_A_CARD:
            raise UsageError(
                f"Received environment: {name}, which the fleet sets itself when it has chosen the "
                "cards. Expected `cards:` and `workers:` of the job"
            )


def read_number(key: str, given: Any) -> int:
    """A whole number."""
    if isinstance(given, str) and _WHOLE.fullmatch(given.strip()):
        return int(given)
    if isinstance(given, int) and not isinstance(given, bool) and abs(given) < 10**12:
        return given
    raise refuse(key, given, "a whole number")


def read_workers(key: str, given: Any) -> int:
    """How many cards it trains on at once."""
    number = read_number(key, given)
    if not 1 <= number <= MOST_WORKERS:
        raise refuse(key, given, f"1 to {MOST_WORKERS}")
    return number


def read_cards(key: str, given: Any) -> tuple[str, ...]:
    """Names of cards; one alone needs no list."""
    names = (given,) if isinstance(given, str) else _read_list(key, given, 'names: ["*H200*"]')
    return tuple(read_text(key, name) for name in names)


def read_memory(key: str, given: Any) -> int:
    """A size: `13GiB`."""
    return size_bytes(given if isinstance(given, str | int | float) else repr(given), key)


def read_takes(key: str, given: Any) -> float:
    """A time with its unit: `3h`, `90min`, `1h 30min`."""
    text = given.strip() if isinstance(given, str) else ""
    parts = _TIME.findall(text) if len(text) <= _LONGEST else []
    seconds = sum(float(number) * _UNIT_SECONDS[unit.lower()] for number, unit in parts)
    if _TIME.sub("", text).strip() or not is_time(seconds):
        raise refuse(key, given, "a time of up to ten years, with its unit: 3h, 90min, 1h 30min")
    return seconds


def is_time(seconds: float) -> bool:
    """Whether a training can take so long."""
    return 0 < seconds <= _LONGEST_SECONDS


def refuse(key: str, given: Any, expected: str) -> UsageError:
    """The error for a value that is not what it should be."""
    received = "nothing" if given is None else short(repr(given), _LONGEST)
    return UsageError(f"Received {key}: {received}. Expected {expected}")


def _read_list(key: str, given: Any, expected: str) -> Sequence[str]:
    is_list = isinstance(given, list | tuple)
    if not is_list or not all(isinstance(item, str) for item in given):
        raise refuse(key, given, expected)
    return tuple(given)


KEYS: dict[str, Callable[[str, Any], Any]] = {
    "name": read_text,
    "run": read_command,
    "folder": read_text,
    "memory": read_memory,
    "takes": read_takes,
    "environment": read_variables,
    "priority": read_number,
    "workers": read_workers,
    "cards": read_cards,
    "options": read_options,
    "python": read_text,
}
"""All keys of a job but `sweep`."""
