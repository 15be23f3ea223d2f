"""What the function of a job is called with: values with their types, also out of a file of texts.

What stands in a file without quotes is a number where it reads as one, and `true` and `false` are
what they are in JSON. Everything else is a text.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from fitguard.fleet.job_keys import refuse
from fitguard.fleet.sweeps import PLACEHOLDER, fill_in
from fitguard.fleet.yaml_lines import Plain
from fitguard.schema.exit_codes import UsageError
from fitguard.words import size

_WHOLE = re.compile(r"[+-]?\d+")
_FRACTION = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_TRUTHS = {"true": True, "false": False}
_MOST_BYTES = 64 << 10
"""As JSON, in one word of a command line; Linux takes 128 KiB."""


def read_arguments(key: str, given: Any) -> dict[str, Any]:
    """Values by name."""
    if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
        raise refuse(key, given, "values by name: arguments: {lr: 0.1}")
    return {str(name): give_type(value) for name, value in given.items()}


def give_type(value: Any) -> Any:
    """What a value of a file means; others stay what they are."""
    if isinstance(value, Plain):
        if value.lower() in _TRUTHS:
            return _TRUTHS[value.lower()]
        if _WHOLE.fullmatch(value) and len(value) < 1000:
            return int(value)
        return float(value) if _FRACTION.fullmatch(value) else str(value)
    if isinstance(value, float):
        return float(value)  # numpy has one of its own
    if type(value) is dict:
        return {name: give_type(inner) for name, inner in value.items()}
    return [give_type(inner) for inner in value] if type(value) is list else value


def list_texts(value: Any) -> Iterator[str]:
    """All texts in it."""
    if isinstance(value, str):
        yield value
    elif type(value) in (dict, list):
        for inner in value.values() if type(value) is dict else value:
            yield from list_texts(inner)


def fill_value(value: Any, combination: Mapping[str, Any]) -> Any:
    """With the values of a sweep: a text that is nothing but `{lr}` becomes that of `lr`."""
    if isinstance(value, str):
        found = PLACEHOLDER.fullmatch(value)
        if found and found[1] in combination:
            return give_type(combination[found[1]])
        return fill_in(value, combination)
    if type(value) is dict:
        return {name: fill_value(inner, combination) for name, inner in value.items()}
    if type(value) is list:
        return [fill_value(inner, combination) for inner in value]
    return value


def split_plain(arguments: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Those that JSON can tell, as its text, and the others.

    Raises:
        UsageError: where the text is too long for a command.
    """
    plain = {name: value for name, value in arguments.items() if _is_plain(value)}
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"))
    if len(text) > _MOST_BYTES:
        raise UsageError(
            f"Received arguments of {size(len(text))}. Expected at most {size(_MOST_BYTES)}: give "
            "the function the name of a file with them"
        )
    return text, {name: value for name, value in arguments.items() if name not in plain}


def _is_plain(value: Any) -> bool:
    """Whether JSON gives back the same."""
    try:
        return _is_same(json.loads(json.dumps(value, allow_nan=False)), value)
    except (TypeError, ValueError, RecursionError):
        return False


def _is_same(told: Any, value: Any) -> bool:
    if type(told) is not type(value):
        return False
    if isinstance(told, dict):
        return told.keys() == value.keys() and all(
            _is_same(told[name], value[name]) for name in told
        )
    if isinstance(told, list):
        return all(map(_is_same, told, value))
    return bool(told == value)
