"""What Ray tells of an actor that is gone, in a few words."""

import re

from fitguard.words import one_line, short

_DETAIL = re.compile(r"Worker exit detail: ([^.]+)\.|died because ([^.]+)\.")
_LONGEST = 150


def say_loss(error: BaseException) -> str:
    """Why an actor was lost, as far as Ray knows."""
    found = _DETAIL.search(one_line(str(error)))
    detail = short(found[1] or found[2], _LONGEST) if found else ""
    return f"its actor was lost ({detail or type(error).__name__})"
