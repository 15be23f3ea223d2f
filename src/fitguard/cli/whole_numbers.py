"""Options that are whole numbers: cyclopts alone would round 1.5 to 2."""

from collections.abc import Sequence
from typing import Any, Literal

from cyclopts import Parameter, Token

from fitguard.schema.exit_codes import UsageError


def _read(hint: Any, tokens: Sequence[Token]) -> int | Literal["all"]:
    """Decimal, or with a prefix such as 0x.

    Raises:
        UsageError: for all else.
    """
    token = tokens[0]
    text = token.value.strip()
    allowed = getattr(hint, "__args__", ())
    if text == "all" and Literal["all"] in allowed:
        return "all"
    for base in (10, 0):
        try:
            return int(text, base)
        except ValueError:
            continue
    or_all = ", or all" if Literal["all"] in allowed else ""
    name = token.keyword or "a value"
    raise UsageError(f"Received {name} {token.value}. Expected a whole number{or_all}")


WHOLE = Parameter(converter=_read)
"""To stand in front of the other `Parameter` of an option."""
