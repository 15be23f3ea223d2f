"""What Ray tells of an actor that is gone, in a few words."""

import re

from fitguard.words import one_line, say_error, short

_DETAIL = re.compile(r"Worker exit detail: ([^.]+)\.|died because ([^.]+)\.")
_LONGEST = 150


def say_loss(error: BaseException) -> str:
    """Why an actor was lost, as far as Ray knows, or what failed in it."""
    import ray

    if isinstance(error, ray.exceptions.RayTaskError):
        return _say_failure(say_error(error.cause))
    if isinstance(error, ray.exceptions.RayActorError) and error.actor_init_failed:
        return _say_failure(str(error).strip().splitlines()[-1])  # of a traceback
    found = _DETAIL.search(one_line(str(error)))
    detail = short(found[1] or found[2], _LONGEST) if found else ""
    return f"its actor was lost ({detail or type(error).__name__})"


def _say_failure(said: str) -> str:
    return f"fitguard itself failed on its node ({short(one_line(said), _LONGEST)})"
