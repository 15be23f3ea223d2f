"""Attempts of a run that write files, one after the other, inside of the test process."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from guarded.attempts import session_in

from fitguard.keras.world import World, watching
from fitguard.schema.journal import Noted


@contextlib.contextmanager
def attempt(number: int = 1) -> Iterator[World]:
    """One attempt of the run in `run`, started in the working directory."""
    with watching(session_in(Path.cwd() / "run", number)) as world:
        yield world


def said() -> list[str]:
    """What the journal of the run tells of files."""
    events = session_in(Path.cwd() / "run").events()
    return [event.text for event in events if isinstance(event, Noted)]


def aside(number: int) -> dict[str, str]:
    """What an attempt found in the way, by name."""
    folder = Path.cwd() / "run/files/aside" / f"attempt-{number}"
    return {
        str(path.relative_to(folder)): path.read_text()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
