"""Sweeps: one job for each combination of values.

`{lr}` in a text stands for the value that `lr` has in the combination. Words of a command are taken
apart before that, so that a value with spaces in it stays one word.
"""

import itertools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fitguard.schema.exit_codes import UsageError

MOST_JOBS = 100_000
PLACEHOLDER = re.compile(r"\{(\w+)\}")
_EXPECTED = "Expected a list of values for each name: sweep: {lr: [0.1, 0.01]}"


def read_sweep(_: str, given: Any) -> dict[str, tuple[Any, ...]]:
    """The values, by name.

    Raises:
        UsageError: for anything else than lists of texts and numbers, and for far too many.
    """
    if not isinstance(given, Mapping) or not given:
        raise UsageError(f"Received sweep: {given!r}. {_EXPECTED}")
    sweep = {}
    for name, values in given.items():
        if not isinstance(name, str) or not PLACEHOLDER.fullmatch(f"{{{name}}}"):
            raise UsageError(
                f"Received sweep: {name!r}. Expected a name of letters, digits and underscores"
            )
        if isinstance(values, str) or not isinstance(values, Sequence) or not values:
            raise UsageError(f"Received sweep: {name}: {values!r}. {_EXPECTED}")
        wrong = [value for value in values if not isinstance(value, str | int | float)]
        if wrong:
            raise UsageError(f"Received {wrong[0]!r} in the sweep of {name}. {_EXPECTED}")
        sweep[str(name)] = tuple(values)
        if len(set(map(str, values))) < len(values):
            raise UsageError(f"Received a value twice in the sweep of {name}. Expected each once")
    total = math.prod(map(len, sweep.values()))
    if total > MOST_JOBS:
        raise UsageError(f"Received a sweep of {total:,} jobs. Expected at most {MOST_JOBS:,}")
    return sweep


def list_combinations(sweep: Mapping[str, Sequence[Any]]) -> Iterator[dict[str, Any]]:
    """All of them; the last name changes fastest."""
    for values in itertools.product(*sweep.values()):
        yield dict(zip(sweep, values, strict=True))


def fill_in(text: str, values: Mapping[str, Any]) -> str:
    """With the values in place of their names; other braces stay as they are."""
    return PLACEHOLDER.sub(lambda found: str(values.get(found[1], found[0])), str(text))


def find_names(texts: Sequence[str]) -> set[str]:
    """The names in braces that these texts use."""
    return {name for text in texts for name in PLACEHOLDER.findall(text)}
