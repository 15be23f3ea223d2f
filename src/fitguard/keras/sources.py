"""The user's own code: a digest of each file that ran, and what of it changed between attempts.

A restart runs the script as it lies on the disk by then. What a snapshot holds was trained by the
files of the attempts that it stands on.
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
from fitguard.schema.journal import AnyEvent, SourcesRan
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
        since: The newest attempt that ran the other one.
        gone: It is there no more.
    """

    path: Path
    since: int
    gone: bool


class Sources:
    """What this attempt runs, beside what the attempts ran whose training it goes on with."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._by_attempt = _by_attempt(session.events(), session.home)
        self._told = self._by_attempt.pop(session.orders.attempt, {})
        self._stands_on: set[int] = set()
        self._stood_on: set[int] = set()
        self._lock = threading.Lock()

    @property
    def attempts(self) -> list[int]:
        """Those that trained what there is now, this one among them."""
        return sorted({*self._stands_on, self._session.orders.attempt})

    def tell(self) -> None:
        """Write into the journal what ran since it was last told."""
        with self._lock:
            news = dict(dict(_ran).items() - self._told.items())
            self._told.update(news)
        if news:
            # A run may be resumed where it was moved to.
            told = {strip_home(file, self._session.home): news[file] for file in news}
            self._session.record(SourcesRan, digests=told)

    def stand_on(self, attempts: Iterable[int] | None) -> None:
        """The training goes on from a snapshot: name what changed since.

        Args:
            attempts: Those that trained what it holds; None where it does not say so, and any may
                have.

        Raises:
            Refused: where something changed, and only an exact result is wanted.
        """
        self._stood_on = set(self._stands_on)
        self._stands_on.update(self._by_attempt if attempts is None else attempts)
        found = _sentences(self._list_changes(self._stands_on - self._stood_on))
        for sentence in found:
            self._session.note("changed-script", f"{sentence}: {_MEANING}")
        if found and self._session.orders.exact_only:
            raise Refused(
                f"--exact-only was given, and {found[0]}. Undo that, or start a new run: without "
                "--resume."
            )

    def step_back(self) -> None:
        """The snapshot turned out to be of another training, after all."""
        self._stands_on = self._stood_on

    def list_changes(self) -> list[Change]:
        """What is other now than it was in the attempts that the training stands on."""
        return self._list_changes(self._stands_on)

    def _list_changes(self, attempts: set[int]) -> list[Change]:
        """The files that attempts trained with, and that are others now; also those to come."""
        found: dict[str, Change] = {}
        for number in sorted(attempts & self._by_attempt.keys(), reverse=True):
            for file, digest in self._by_attempt[number].items():
                now = self._told.get(file) or _digest(file)
                if now != digest and file not in found:
                    found[file] = Change(Path(file), number, gone=not now)
        return [found[file] for file in sorted(found)]


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
