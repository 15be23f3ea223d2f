"""A folder that all nodes see under the same path: runs train in it."""

import contextlib
import secrets
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from fitguard.fleet.records import RunRecord, read_record
from fitguard.fleet.storage.opening import MARKER, Heard, Keeping
from fitguard.monitor.run_folder import create_runs_folder
from fitguard.schema.exit_codes import UsageError


@dataclass(frozen=True)
class SharedFolder:
    """The folder of all runs."""

    path: Path

    def mark(self) -> str:
        name = f"{MARKER}{secrets.token_hex(8)}"
        try:
            create_runs_folder(self.path)
            (self.path / name).write_bytes(b"fleet")  # a full disk takes an empty file
        except OSError as error:
            self.unmark(name)
            raise UsageError(
                f"Received --storage {self.path}: {error.strerror} on {socket.gethostname()}. "
                "Expected a folder that all nodes see and can write to"
            ) from error
        return name

    def unmark(self, marker: str) -> None:
        with contextlib.suppress(OSError):
            (self.path / marker).unlink()

    def count_seen(self) -> int:
        names = sum(path.exists() for path in (self.path, *self.path.parents))
        # Where nothing is mounted, there may be an empty folder of that name.
        return names + (self.path.is_dir() and any(self.path.iterdir()))

    def is_here(self, marker: str) -> bool:
        return not self.find_problem(marker)

    def find_problem(self, marker: str) -> str:
        own = self.path / f"{marker}-{secrets.token_hex(4)}"
        try:
            if not (self.path / marker).exists():
                return (
                    f"it does not see {self.path} as the other nodes do. Expected a folder that "
                    "all nodes share"
                )
            try:
                own.write_bytes(b"fleet")
            finally:
                own.unlink(missing_ok=True)  # a full disk takes an empty file
        except OSError as error:
            return f"it cannot write to {self.path}: {error.strerror}"
        return ""

    def read_records(self, runs: Sequence[str]) -> dict[str, RunRecord]:
        return {run: read_record(self.path, run) for run in runs}

    def keep(
        self,
        run: str,  # noqa: ARG002
        *,
        is_asked: Callable[[], bool],  # noqa: ARG002
        leave: Callable[[], None],  # noqa: ARG002
    ) -> Keeping:
        return InPlace(self.path)


class InPlace:
    """A run that trains in the storage itself: `fitguard run` does all that there is to do."""

    lost = ""

    def __init__(self, runs_folder: Path) -> None:
        self.runs_folder = runs_folder

    def begin(self) -> None: ...

    def finish(self) -> str:
        return ""

    def listen(self) -> Heard:
        return Heard()
