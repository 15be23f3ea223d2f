"""A training process of a gang, without TensorFlow: steps are common, as collectives make them.

    python plain_worker.py RUN_FOLDER SCRIPT ARGUMENTS…

The script finds `training` among its names. A step ends when all workers have made it. Where one of
them is gone, the others fail with the words of TensorFlow.
"""

import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import plain_child

from fitguard.keras.leaving_together import may_leave
from fitguard.monitor.snapshot_names import list_snapshots
from fitguard.schema.gang import SavedPlace

GONE = (
    "UnavailableError: Collective ops is aborted by: recvmsg:Connection reset by peer. The error "
    "could be from a previous operation. Restart your program to reset."
)


class WorkerTraining(plain_child.Training):
    """Counts steps together with others, from the start that their guards agreed on."""

    def __init__(self, folder) -> None:
        super().__init__(folder)
        self.gang = self.orders.gang
        self.worker = self.gang.worker
        start = self.gang.start
        for file in list_snapshots(folder.snapshots):
            if start is None or SavedPlace(file.fit, file.steps, file.end) > start:
                file.path.unlink()
        self.done = start.steps if start is not None else 0
        shared = folder.path.parent / "steps"
        shared.mkdir(exist_ok=True)
        members = self.gang.members or range(self.gang.workers)
        self._own, *self._others = sorted(
            (shared / f"{self.gang.round}-{number}" for number in members),
            key=lambda path: not path.name.endswith(f"-{self.worker}"),
        )

    def steps(self, until: int, seconds: float = 0.01, every: int = 10):
        self.begin()
        self.heartbeat.change_answering(1)
        self._join()
        while self.done < until:
            self.beat()
            self._obey()
            if self.gang.is_first and self.done % every == every - 1:
                self.heartbeat.ask_call()
            yield self.done
            time.sleep(seconds)
            self.done += 1
            self._join()
        self.heartbeat.change_answering(-1)
        self.beat("idle")

    def _obey(self) -> None:
        call = self.heartbeat.read_call()
        if call is None or call.place != SavedPlace(1, self.done):
            return
        self.save()
        if call.leave and may_leave(self.heartbeat, call.place):
            sys.stdout.flush()
            os._exit(plain_child.LEFT_AS_ASKED)

    def _join(self) -> None:
        """End a step when all have made it."""
        beside = self._own.with_suffix(".new")
        beside.write_text(f"{os.getpid()} {self.done}")
        beside.replace(self._own)
        waits = list(self._others)
        while waits:
            waits = [path for path in waits if not self._has_come(path)]
            time.sleep(0.002)

    def _has_come(self, path: Path) -> bool:
        if not path.exists():
            return False
        pid, done = map(int, path.read_text().split())
        if done >= self.done:
            return True
        if not Path(f"/proc/{pid}").exists():
            raise RuntimeError(GONE)
        return False

    def remove_old(self) -> None:
        """All from the newest complete set on are kept, and one more."""
        complete = self.heartbeat.read_complete()
        if complete is None:
            return
        files = list_snapshots(self.folder.snapshots)
        older = [one for one in files if SavedPlace(one.fit, one.steps, one.end) < complete]
        for file in older[1:]:
            file.path.unlink()


plain_child.Training = WorkerTraining

if __name__ == "__main__":
    plain_child.main()
