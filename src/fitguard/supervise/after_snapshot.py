"""What the user wants done after each finished snapshot: mostly, to copy it away."""

import contextlib
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from fitguard.monitor.journal import Journal
from fitguard.monitor.regular_files import open_regular, read_end
from fitguard.monitor.run_folder import RunFolder
from fitguard.monitor.snapshot_names import list_snapshots
from fitguard.schema.journal import SnapshotWritten
from fitguard.schema.run import Place
from fitguard.supervise.hook_thread import HookThread
from fitguard.supervise.linked_copy import linking_run

_MOST_CHARACTERS = 300
_MOST_BYTES = 4096
_ANEW = os.O_WRONLY | os.O_CREAT | os.O_TRUNC


@dataclass(frozen=True)
class FinishedSnapshot:
    """A snapshot that is on the disk, and stays there while it is looked at.

    Args:
        path: Its file.
        folder: The folder of the run as it is with this snapshot. A copy of it can be resumed.
        run: Id of the run.
        place: What the snapshot holds.
    """

    path: Path
    folder: Path
    run: str
    attempt: int
    place: Place

    def as_environment(self) -> dict[str, str]:
        """The same for a command."""
        return {
            "FITGUARD_SNAPSHOT": str(self.path),
            "FITGUARD_SNAPSHOT_FOLDER": str(self.folder),
            "FITGUARD_SNAPSHOT_RUN": self.run,
            "FITGUARD_SNAPSHOT_ATTEMPT": str(self.attempt),
            "FITGUARD_SNAPSHOT_FIT": str(self.place.fit),
            "FITGUARD_SNAPSHOT_EPOCH": str(self.place.epoch),
            "FITGUARD_SNAPSHOT_STEP": str(self.place.step),
            "FITGUARD_SNAPSHOT_TOTAL_STEPS": str(self.place.total_steps),
        }


Hook = str | Callable[[FinishedSnapshot], object]
"""A command for the shell, or a function."""


class SnapshotThread(HookThread):
    """Calls the hook, one snapshot at a time; of those that come meanwhile only the newest counts.

    Args:
        say: Told of the first failure.
        spare: Told of each process.
    """

    def __init__(
        self,
        hook: Hook,
        folder: RunFolder,
        say: Callable[[str], None],
        spare: Callable[[int], None],
    ) -> None:
        super().__init__(
            "fitguard-after-snapshot", "what shall run after each snapshot", say, spare
        )
        self._hook = hook
        self._folder = folder
        self._journal = Journal(folder.journal)
        self._read_up_to = self._journal.size

    def _work(self) -> None:
        events, self._read_up_to = self._journal.read_since(self._read_up_to)
        written = [event for event in events if isinstance(event, SnapshotWritten)]
        if written:
            self._hand_over(written[-1])

    def _hand_over(self, written: SnapshotWritten) -> None:
        with linking_run(self._folder, self._folder.handed / self._folder.id) as copy:
            path = _find_file(copy / self._folder.snapshots.name, written.place)
            if path is None:
                return  # removed for a later one, which comes next
            snapshot = FinishedSnapshot(
                path=path,
                folder=copy,
                run=self._folder.id,
                attempt=written.attempt,
                place=written.place,
            )
            if isinstance(self._hook, str):
                self._call_command(self._hook, snapshot)
            else:
                self._hook(snapshot)

    def _call_command(self, command: str, snapshot: FinishedSnapshot) -> None:
        with os.fdopen(open_regular(self._folder.hook_log, _ANEW), "wb") as log:
            code = self._run_command(command, snapshot.as_environment(), log)
        if code != 0:
            said = read_end(self._folder.hook_log, _MOST_BYTES).decode(errors="replace").strip()
            self._fail(f"exit code {code}. {said[-_MOST_CHARACTERS:]}")


def _find_file(snapshots: Path, place: Place) -> Path | None:
    for found in list_snapshots(snapshots):
        if found.fit == place.fit and (found.end or found.steps == place.total_steps):
            return found.path
    return None


@contextlib.contextmanager
def calling_hook(
    hook: Hook | None,
    folder: RunFolder,
    say: Callable[[str], None],
    spare: Callable[[int], None],
) -> Iterator[SnapshotThread | None]:
    """Call the hook while it lasts; None where there is none."""
    if hook is None:
        yield None
        return
    shutil.rmtree(folder.handed, ignore_errors=True)  # of a parent that was killed
    thread = SnapshotThread(hook, folder, say, spare)
    thread.start()
    try:
        yield thread
    finally:
        thread.finish(0.0)
        shutil.rmtree(folder.handed, ignore_errors=True)
