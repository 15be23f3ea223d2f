"""Three real workers, one of which is gone for good: two go on with the same global batch."""

import json
import os
import signal
import subprocess
import sys

import numpy as np
import programs
import pytest
from guarded.real_gang import OUT, RealGang

from fitguard.clean_start import words_to_run
from fitguard.schema.journal import Decided, FitBegan, Noted

pytestmark = pytest.mark.soak
LEFT = (0, 2)


class ThreeWorkers(RealGang):
    """Each with a guard of its own, as on three machines."""

    def start(self, *options: str) -> None:
        own = [sys.executable, *words_to_run("fitguard"), "run", "--gang", "g", "--workers", "3"]
        self.guards = {}
        for worker in range(3):
            with self.told.with_name(f"told-{worker}.txt").open("ab") as told:
                words = ["--worker", str(worker), "--snapshot-seconds=0.5", "--gang-seconds=3"]
                self.guards[worker] = programs.start(
                    [*own, *words, *options, *self._words],
                    stdin=subprocess.DEVNULL,
                    stdout=told,
                    stderr=subprocess.STDOUT,
                    cwd=self.folder,
                    env=self._environment,
                )
        self.head = self.guards[0]

    def lose(self, worker: int) -> None:
        child = self.child(worker)
        self.guards[worker].kill()
        self.guards[worker].wait()
        os.kill(child, signal.SIGKILL)

    def read(self, worker: int) -> str:
        return self.told.with_name(f"told-{worker}.txt").read_text()


def train_without_the_second(folder, library, **environment):
    gang = ThreeWorkers(folder, library, STEP_SECONDS="0.15", **environment)
    gang.start("--allow", "fewer-workers")
    gang.until()
    gang.lose(1)
    codes = [gang.guards[worker].wait(programs.LONGEST_SECONDS) for worker in LEFT]
    assert codes == [0, 0], gang.read(0) + gang.read(2)
    assert gang.begun(0) == gang.begun(2)
    assert gang.begun(0)[-1] > 0
    return gang


@pytest.mark.parametrize("library", ["tf_keras", "keras"])
def test_two_of_three_go_on(tmp_path, library):
    gang = train_without_the_second(tmp_path, library, BATCH="6")
    first, second = (np.load(tmp_path / OUT.format(worker=index)) for index in range(2))
    # All but the two statistics of BatchNormalization, which each worker has of its own rows.
    weights = [name for name in first if name != "loss"]
    same = [name for name in weights if np.array_equal(first[name], second[name])]
    assert len(weights) == 8
    assert len(same) >= 6
    # The same batches: an epoch has as many steps.
    assert [one.steps_per_epoch for one in gang.events(0, FitBegan)] == [8, 8]
    for worker in LEFT:
        changed = [one for one in gang.events(worker, Decided) if one.changes_results]
        assert [one.action for one in changed] == ["fewer-workers"]
        notes = [one.text for one in gang.events(worker, Noted) if one.kind == "inexact"]
        assert any("3 workers trained up to here, and 2 go on" in text for text in notes)
        assert len(notes) == 1, notes
        document = json.loads(gang.gang.find_worker(worker).document.read_bytes())
        assert any(one["changes_results"] for one in document["decisions"])


def test_a_batch_that_shrinks_with_the_workers_is_told(tmp_path):
    gang = train_without_the_second(tmp_path, "tf_keras", BATCH="2", MULTIPLIED="1")
    notes = [one.text for one in gang.events(0, Noted) if one.kind == "inexact"]
    assert any("steps in an epoch changed" in text and "was 3 and is 4" in text for text in notes)
