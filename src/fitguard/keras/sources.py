"""The user's own code: a digest of each file that ran, and what of it changed between attempts.

A restart runs the script as it lies on the disk by then. What an earlier attempt has trained, and a
snapshot has kept, was trained by the files of that attempt.
"""

import contextlib
import hashlib
import os
import sys
import tempfile
import threading
from collections.abc import Iterable
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, NamedTuple

from fitguard.keras.refused import Refused
from fitguard.keras.session import Session
from fitguard.keras.world.territory import join_home, strip_home
from fitguard.schema.journal import AnyEvent, SnapshotWritten, SourcesRan
from fitguard.state.users import is_users

_OURS = str(Path(__file__).parents[1])
_GENERATED = "__autograph_generated_file"
_MOST_NAMED = 5
_MEANING = "what was trained before the restart was trained by the old code"

_ran: dict[str, str] = {}
"""Digests by file, taken when Python ran it: who edits a file later has changed the next attempt,
not this one."""


class Change(NamedTuple):
    """A file that is not what it was.

    Args:
        since: The newest attempt that ran the other one, and wrote a snapshot.
        gone: It is there no more.
    """

    path: Path
    since: int
    gone: bool


class Sources:
    """What this attempt runs, beside what earlier ones ran."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._told: dict[str, str] = {}
        self._before: dict[int, dict[str, str]] = {}
        self._lock = threading.Lock()
        events, attempt = session.events(), session.orders.attempt
        trained = {event.attempt for event in events if isinstance(event, SnapshotWritten)}
        for number, digests in _by_attempt(events, session.home).items():
            if number == attempt:
                self._told = digests
            elif number in trained:
                self._before[number] = digests

    def tell(self) -> None:
        """Write into the journal what ran since it was last told."""
        with self._lock:
            news = dict(dict(_ran).items() - self._told.items())
            self._told.update(news)
        if news:
            # A run may be resumed where it was moved to.
            told = {strip_home(file, self._session.home): news[file] for file in news}
            self._session.record(SourcesRan, digests=told)

    def changes(self) -> list[Change]:
        """The files that an attempt trained with, and that are others now; also those to come."""
        found: dict[str, Change] = {}
        for number, digests in sorted(self._before.items(), reverse=True):
            for file, digest in digests.items():
                now = self._told.get(file) or _digest(file)
                if now != digest and file not in found:
                    found[file] = Change(Path(file), number, gone=not now)
        return [found[file] for file in sorted(found)]

    def begin(self) -> None:
        """A training begins: tell what ran so far, and name what changed.

        Raises:
            Refused: where something did, and only an exact result is wanted.
        """
        self.tell()
        found = _sentences(self.changes())
        for sentence in found:
            self._session.note("changed-script", f"{sentence}: {_MEANING}")
        if found and self._session.orders.exact_only:
            raise Refused(
                f"--exact-only was given, and {found[0]}. Undo that, or start a new run: without "
                "--resume."
            )


def find_changed_sources(session: Session) -> list[Path]:
    """The user's files that are not those by which the snapshots of this run were trained."""
    return [change.path for change in Sources(session).changes()]


def watch_sources() -> None:
    """From now on, for the whole life of the process, keep a digest of each file that runs."""
    sys.addaudithook(_watch)


def _watch(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "exec":
        # What is raised here would end the import that it looks at.
        with contextlib.suppress(Exception):
            code: CodeType = arguments[0]
            if code.co_name == "<module>" and _is_source(code):
                _ran[code.co_filename] = _digest(code.co_filename)


def _is_source(code: CodeType) -> bool:
    """Whether it is of a file that the user wrote, and not of one that was made for a moment."""
    file = code.co_filename
    if not file.startswith(os.sep) or _GENERATED in file:
        return False
    imported_from = tuple(folder for folder in sys.path if folder)
    if file.startswith(tempfile.gettempdir()) and not file.startswith(imported_from):
        return False
    return is_written_by_user(file)


def is_written_by_user(file: str) -> bool:
    """Whether a file belongs neither to Python, nor to a library, nor to fitguard."""
    module = ModuleType("asked")
    module.__file__ = file
    return not file.startswith(_OURS) and is_users(module)


def _digest(file: str) -> str:
    """Of what a file holds; empty where there is none."""
    try:
        with Path(file).open("rb") as opened:
            return hashlib.file_digest(opened, "sha256").hexdigest()
    except OSError:
        return ""


def _by_attempt(events: Iterable[AnyEvent], home: str) -> dict[int, dict[str, str]]:
    digests: dict[int, dict[str, str]] = {}
    for event in events:
        if isinstance(event, SourcesRan):
            ran = {join_home(file, home): digest for file, digest in event.digests.items()}
            digests.setdefault(event.attempt, {}).update(ran)
    return digests


def _sentences(changes: list[Change]) -> list[str]:
    """One for each attempt, and for what is gone since."""
    groups: dict[tuple[int, bool], list[str]] = {}
    for path, since, gone in changes:
        groups.setdefault((since, gone), []).append(_format_path(path))
    return [
        f"{_join_names(names)} {_verb(gone, several=len(names) > 1)} since attempt {since}"
        for (since, gone), names in groups.items()
    ]


def _verb(gone: bool, *, several: bool) -> str:
    if gone:
        return "are gone" if several else "is gone"
    return "have changed" if several else "has changed"


def _format_path(path: Path) -> str:
    """As the user would name it from here."""
    with contextlib.suppress(OSError, ValueError):
        return str(path.relative_to(Path.cwd()))
    return str(path)


def _join_names(names: list[str]) -> str:
    if len(names) > _MOST_NAMED:
        names = [*names[:_MOST_NAMED], f"{len(names) - _MOST_NAMED} more"]
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
