"""One process starts all workers of a gang, and stays with them."""

import os
import signal
import subprocess
import sys

import programs
import pytest
from programs import wait_for
from supervise.gang import plain_head
from supervise.gang.plain_gang import PlainGang
from supervise.gang.test_member import TRAINS

from fitguard.schema.exit_codes import UsageError
from fitguard.schema.hardware import Gpu
from fitguard.supervise.gang import head as heads


class HeadedGang(PlainGang):
    """A gang and its head."""

    def __init__(self, folder, text=TRAINS):
        super().__init__(folder, text)
        with (folder / "err").open("wb") as err, self.path("out", 0).open("wb") as out:
            self.head = programs.start(
                [sys.executable, plain_head.__file__, str(self.script)],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                cwd=folder,
            )
        self.guards = {0: self.head}

    def told(self, _number=0):
        return (self.folder / "err").read_text()

    def guard(self, number):
        from fitguard.schema.journal import AttemptStarted

        return self.events(number, AttemptStarted)[-1].orders.parent

    def code(self):
        return self.head.wait(programs.LONGEST_SECONDS)


def test_a_guard_that_dies_is_started_again(tmp_path):
    gang = HeadedGang(tmp_path)
    gang.until(0, "step 5")
    gang.until_saved()
    os.kill(gang.guard(1), signal.SIGKILL)
    gang.until(0, "of round 2")
    (tmp_path / "enough").touch()
    assert gang.code() == 0, gang.told()
    assert "the process that guards worker 1 died with SIGKILL. It is started again" in gang.told()
    assert gang.begun(0) == gang.begun(1)
    assert gang.begun(0)[1] > 0


@pytest.mark.parametrize("whom", ["head", pytest.param("worker", marks=pytest.mark.soak)])
def test_who_asks_one_to_leave_asks_all(tmp_path, whom):
    gang = HeadedGang(tmp_path)
    gang.until(0, "step 5")
    os.kill(gang.head.pid if whom == "head" else gang.guard(1), signal.SIGTERM)
    assert gang.code() == 75
    assert gang.complete()
    assert "to continue: fitguard run --workers 2 --resume=night" in gang.told()


@pytest.mark.soak
def test_when_the_head_dies_the_workers_leave(tmp_path):
    gang = HeadedGang(tmp_path)
    gang.until(0, "step 5")
    gang.head.kill()
    wait_for(lambda: [gang.outcomes(0), gang.outcomes(1)] == [["preempted"]] * 2)
    assert gang.complete()


@pytest.mark.soak
def test_the_code_is_that_of_the_worker_that_failed(tmp_path):
    text = (
        "for step in training.steps(50):\n    if training.worker and step > 9: raise SystemExit(9)"
    )
    gang = HeadedGang(tmp_path, text)
    assert gang.code() == 9


def view(monkeypatch, count):
    from fitguard.environment import machine

    gpus = tuple(Gpu(index=number, name="H200", uuid=f"GPU-{number}") for number in range(count))
    monkeypatch.setattr(machine, "view_machine", lambda _: machine.MachineView(gpus=gpus))


@pytest.mark.parametrize(
    ("count", "expected", "told"),
    [
        (2, ["GPU-0", "GPU-1"], "each of the 2 workers gets 1 of 2 GPUs."),
        (4, ["GPU-0,GPU-1", "GPU-2,GPU-3"], "each of the 2 workers gets 2 of 4 GPUs."),
        (5, ["GPU-0,GPU-1", "GPU-2,GPU-3"], "gets 2 of 5 GPUs; 1 not used"),
        (0, [None, None], ""),
    ],
)
def test_gpus_are_shared_evenly(monkeypatch, count, expected, told):
    view(monkeypatch, count)
    said = []
    parts = heads.share_gpus(2, {"HOME": "/root"}, said.append)
    assert [part.get("CUDA_VISIBLE_DEVICES") for part in parts] == expected
    assert told in "".join(said)


def test_more_workers_than_gpus_are_refused(monkeypatch):
    view(monkeypatch, 1)
    with pytest.raises(UsageError, match="Received --workers 2, and 1 GPU to use here"):
        heads.share_gpus(2, {}, print)


@pytest.mark.parametrize(("may_do_without", "code"), [(True, 0), (False, 137)])
def test_the_others_may_go_on_without_a_worker_that_dies_again_and_again(
    tmp_path, monkeypatch, may_do_without, code
):
    monkeypatch.setattr(heads, "_RESTARTS_PER_HOUR", 1)
    monkeypatch.setattr(heads, "_STOP_SECONDS", 0.0)
    dies, waits = "echo >> died; kill -9 $$", "until test -e enough; do sleep 0.05; done"
    said = []

    def say(text):
        said.append(text)
        if "too often" in text:
            (tmp_path / "enough").touch()

    monkeypatch.chdir(tmp_path)
    head = heads.Head(
        lambda worker, _: ["/bin/sh", "-c", dies if worker else waits],
        [dict(os.environ)] * 2,
        preempt_signals=(),
        left=75,
        may_do_without=may_do_without,
        say=say,
    )
    assert head.run() == code
    assert len((tmp_path / "died").read_text()) == 2
    assert any("too often to be started again" in text for text in said) == may_do_without
