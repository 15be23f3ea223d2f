"""A training process without TensorFlow: it beats, keeps snapshots and obeys, as the contract says.

    python plain_child.py RUN_FOLDER SCRIPT ARGUMENTS…

The script finds `training` among its names.
"""

import faulthandler
import os
import shutil
import signal
import sys
import time
from pathlib import Path

import msgspec

from fitguard.keras.standard_input import keep_standard_input
from fitguard.keras.termination import Terminated, end_without_threads, leave_when_terminated
from fitguard.monitor.heartbeat import OwnHeartbeat
from fitguard.monitor.journal import Journal, now
from fitguard.monitor.lease_files import is_superseded
from fitguard.monitor.run_folder import RunFolder
from fitguard.monitor.snapshot_names import list_snapshots, name_snapshot
from fitguard.schema.journal import Failed, FitBegan, Orders, SnapshotWritten
from fitguard.schema.run import Place

LEFT_AS_ASKED = 75


class Training:
    """Counts steps instead of training, from the last snapshot on."""

    def __init__(self, folder: RunFolder) -> None:
        self.folder = folder
        self.orders = msgspec.json.decode(folder.orders.read_bytes(), type=Orders)
        self.attempt = self.orders.attempt
        self.heartbeat = OwnHeartbeat(folder.heartbeat)
        self._journal = Journal(folder.journal)
        self._saved = folder.snapshots / "steps"
        self.done = int(self._saved.read_text()) if self._saved.exists() else 0

    def record(self, kind, /, **fields) -> None:
        self.require_lease()
        self._journal.append(kind(time=now(), attempt=self.attempt, **fields))

    def begin(self, batch_size: int = 32) -> None:
        place = Place(fit=1, step=self.done, total_steps=self.done)
        self.record(FitBegan, place=place, library="plain", batch_size=batch_size)

    def beat(self, phase: str = "training") -> None:
        self.heartbeat.beat(phase, 1, 0, self.done, self.done)

    def steps(self, until: int, seconds: float = 0.01):
        """Take steps; a snapshot after each one that was asked for with `save`."""
        self.begin()
        self.heartbeat.change_answering(1)
        while self.done < until:
            self.beat()
            if self.heartbeat.read_wish() == "leave":
                self.save()
                sys.stdout.flush()
                os._exit(LEFT_AS_ASKED)
            yield self.done
            time.sleep(seconds)
            self.done += 1
        self.heartbeat.change_answering(-1)
        self.beat("idle")

    def require_lease(self) -> None:
        if is_superseded(self.folder.path, self.orders.lease):
            os._exit(1)

    def save(self) -> None:
        self.require_lease()
        self._saved.parent.mkdir(exist_ok=True)
        self._saved.write_text(str(self.done))
        named = self.folder.snapshots / name_snapshot(1, self.done, self.done + 1, end=False)
        shutil.copyfile(self._saved, named)
        self.remove_old()
        place = Place(fit=1, step=self.done, total_steps=self.done)
        self.record(SnapshotWritten, place=place, bytes=8, taking_seconds=0.0, writing_seconds=0.0)

    def remove_old(self) -> None:
        for older in list_snapshots(self.folder.snapshots)[2:]:
            older.path.unlink()

    def fail(self, kind: str, **fields) -> None:
        place = Place(fit=1, step=self.done, total_steps=self.done)
        self.record(Failed, kind=kind, place=place, **fields)


def main() -> None:
    folder = RunFolder(Path(sys.argv[1]))
    script = Path(sys.argv[2])
    training = Training(folder)
    for number in training.orders.preempt_signals:
        signal.signal(number, lambda *_: training.heartbeat.wish("leave"))
    with folder.stacks.open("a") as stacks:
        faulthandler.register(signal.SIGRTMIN + 5, file=stacks, all_threads=True)
        leave_when_terminated(training.heartbeat)
        keep_standard_input(lambda text: sys.stderr.write(f"fitguard: {text}\n"))
        code = compile(script.read_text(), str(script), "exec")
        try:
            exec(code, {"training": training, "__name__": "__main__"})
        except Terminated:
            end_without_threads()
            raise
        except SystemExit as leaving:
            if leaving.code:
                training.record(Failed, kind="system-exit", code=leaving.code)
            raise
        except Exception as error:
            training.fail("exception", error=f"{type(error).__name__}: {error}")
            raise


if __name__ == "__main__":
    main()
