"""Names of runs: the one that fitguard makes, and the one that the user gives."""

import re
import secrets
import time

from fitguard.schema.exit_codes import UsageError
from fitguard.supervise.command import Command, is_python

RUN_ID = re.compile(r"\d{8}-\d{6}-[\w.]+-[0-9a-f]{4}")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_RESERVED = frozenset(("auto", "last"))
_FILE_ENDINGS = (".py", ".pyw", ".json")
_LONGEST_GANG_NAME = 48
MOST_WORKERS = 1000
"""Of one gang."""


def make_id(command: Command, moment: float | None = None) -> str:
    """`20261115-142500-train-4f2a`: sorted by name they are sorted by time."""
    stamp = time.strftime("%Y%m%d-%H%M%S", time.localtime(moment))
    name = re.sub(r"\W+", "_", command.name).strip("_")[:24] or "run"
    return f"{stamp}-{name}-{secrets.token_hex(2)}"


def require_name(name: str, said: str = "--name") -> None:
    """Refuse a name that cannot be that of a folder, or that means something else elsewhere.

    Args:
        said: What the user wrote before the name.

    Raises:
        UsageError: with what a name may be.
    """
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"Received {said} {name!r}. Expected up to 64 letters, digits, dots, hyphens and "
            f"underscores, the first of them a letter or a digit: {said} train-1"
        )
    if name in _RESERVED or name.endswith(_FILE_ENDINGS) or is_python(name):
        raise UsageError(
            f"Received {said} {name}, which means something else where a run is named. Expected "
            f"another name: {said} train-1"
        )


def require_gang_name(name: str, said: str = "--name") -> None:
    """The same for a name of which those of the workers are made."""
    require_name(name, said)
    if len(name) > _LONGEST_GANG_NAME:
        raise UsageError(
            f"Received the name {name}. Expected at most {_LONGEST_GANG_NAME} characters"
        )
