"""Where the script fails on what an earlier attempt did, and that could not be treated."""

import os
import re
import traceback
from collections.abc import Iterator

from fitguard.keras.world.ledger import Past
from fitguard.keras.world.territory import Territory, normal

_KINDS = {
    "FileExistsError",
    "FileNotFoundError",
    "NotADirectoryError",
    "IsADirectoryError",
    "OSError",
    "Error",  # of shutil
    "AlreadyExistsError",  # of TensorFlow, as the next
    "NotFoundError",
}
_QUOTED = re.compile(r"""['"`]([^'"`\n]{1,500})['"`]|([^\s'"`;:,]{1,500})""")


def remedy(error: BaseException, past: Past, territory: Territory) -> str:
    """What to change, where an earlier attempt is why this error came; else nothing."""
    if type(error).__name__ not in _KINDS:
        return ""
    for path in _paths(error):
        did, instead = _describe_earlier_action(
            path, past, is_there=isinstance(error, FileExistsError)
        )
        if did:
            where = _where(error, territory)
            return f"{where} fails because {did}. {instead} The run can be resumed then."
    return ""


def _describe_earlier_action(path: str, past: Past, is_there: bool) -> tuple[str, str]:
    """What was done to a path, and how to write it so that it can be done twice."""
    name = os.path.relpath(path)
    if path in past.folders:
        made = f"Write os.makedirs({name!r}, exist_ok=True)."
        return (
            f"attempt {past.folders[path]} had already made the folder {name}",
            made if is_there else "Let the script remove it before.",
        )
    moved = next((old for old, new in past.renamed.items() if path == new), None)
    if moved is not None:
        old = os.path.relpath(moved)
        return (
            f"attempt {past.removed[moved]} had already moved {old} to {name}",
            f"Do that only where it is still there: if os.path.exists({old!r}).",
        )
    if path in past.files and os.path.lexists(path):
        return (
            f"attempt {past.files[path]} had already made the file {name}",
            "Let the script overwrite it, or remove it before.",
        )
    if path in past.removed:
        how = "renamed" if path in past.renamed else "removed"
        return (
            f"attempt {past.removed[path]} had already {how} {name}",
            f"Do that only where it is still there: if os.path.exists({name!r}).",
        )
    return "", ""


def _paths(error: BaseException) -> Iterator[str]:
    # Of two names, the second one is where something was to go.
    given = [getattr(error, "filename2", None), getattr(error, "filename", None)]
    found = [path for name in given if name is not None and (path := normal(name))]
    if not found:
        quoted = (one or other for one, other in _QUOTED.findall(str(error)))
        found = [path for name in quoted if (path := normal(name))]
    yield from found


def _where(error: BaseException, territory: Territory) -> str:
    """`Line 12 of train.py`: the innermost line that is the user's own."""
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith("<") and territory.is_users(frame.filename)
    ]
    if not frames:
        return "The script"
    return f"Line {frames[-1].lineno} of {os.path.basename(frames[-1].filename)}"
