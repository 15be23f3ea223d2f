"""`fitguard.watch`: which run is meant, what is said of it, and when it ends."""

import math
import shutil
import subprocess

import pytest
from programs import wait_for
from supervise.parents import UNTIL_TOLD, Parent
from watching.made_folder import BEGAN, CHILD, make_folder

import fitguard
from fitguard.monitor.flight_recorder import FlightRecorder
from fitguard.monitor.journal import Journal, now
from fitguard.monitor.run_folder import RunFolder
from fitguard.schema.exit_codes import UnreadableInput, UsageError
from fitguard.schema.journal import Alerted, Logged
from fitguard.schema.run import Place
from fitguard.supervise.lock import locking_run
from fitguard.watching.choosing import choose
from fitguard.watching.glance import Glance


def test_a_run_that_has_ended_is_looked_at_once(tmp_path):
    make_folder(tmp_path / "20251115-100000-train-aaaa", seconds=60)
    (moment,) = fitguard.watch(runs_folder=tmp_path)
    assert (moment.state, moment.attempt, moment.place.total_steps) == ("finished", 2, 540)
    assert moment.values["allocator_limit_bytes"] == 6 * 2**30
    assert moment.output == ("Epoch 1/20", "400/400 8s 20ms/step - loss: 1.2031", "Epoch 2/20")
    assert [decision.action for decision in moment.decisions] == ["restart"]
    assert moment.missing == ()


def test_the_newest_run_that_runs_is_meant_else_the_newest(tmp_path):
    names = [f"2025111{day}-100000-train-aaaa" for day in range(4)]
    for day, name in enumerate(names):
        make_folder(tmp_path / name, seconds=30, began=BEGAN + 86400 * day, ended=day != 1)
    assert next(fitguard.watch(runs_folder=tmp_path)).id == names[3]
    with locking_run(RunFolder(tmp_path / names[1])):
        moment = next(fitguard.watch(runs_folder=tmp_path))
    assert (moment.id, moment.state, moment.phase) == (names[1], "running", "training")
    assert moment.steps_left == 50 * 400 - 240
    assert moment.seconds_left == pytest.approx(moment.steps_left / 10, rel=0.01)


def test_a_real_run_is_followed_to_its_end(tmp_path):
    parent = Parent(tmp_path, UNTIL_TOLD)
    parent.until("step 3")
    moments = fitguard.watch(parent.run_folder, every_seconds=0.05)
    first = next(moments)
    assert (first.state, first.pid) == ("running", parent.child)
    wait_for(lambda: next(moments).place.total_steps > first.place.total_steps)
    (tmp_path / "enough").touch()
    states = [moment.state for moment in moments]
    assert states[-1] == "finished"
    assert set(states[:-1]) <= {"running"}
    assert parent.ended() == 0


def test_what_happens_meanwhile_is_seen(tmp_path):
    folder = make_folder(tmp_path / "run", seconds=30, ended=False)
    glance = Glance(folder)
    assert glance.look().alerts == ()
    about = {"code": "FG410", "slug": "leak", "severity": "warning", "title": "A", "text": "B"}
    Journal(folder.journal).append(Alerted(time=now(), attempt=2, **about))
    Journal(folder.journal).append(
        Logged(time=now(), attempt=2, place=Place(fit=1), logs={"loss": 0.5})
    )
    moment = glance.look()
    assert [alert.slug for alert in moment.alerts] == ["leak"]
    assert moment.logs["loss"] == 0.5


def test_the_loss_is_that_of_now_also_where_it_is_nan(tmp_path):
    folder = make_folder(tmp_path / "run", seconds=30, ended=False)
    recorder = FlightRecorder(folder.flight_records / "child.record", CHILD)
    recorder.add(BEGAN + 100, 300, {"loss": math.inf, "step_seconds": 0.5})
    moment = Glance(folder).look()
    assert (moment.logs["loss"], moment.values["step_seconds"]) == (None, 0.5)
    assert "loss" not in moment.values
    assert "loss nan" in str(moment)


def test_a_folder_of_an_older_fitguard_says_what_is_missing(tmp_path):
    make_folder(tmp_path / "run", seconds=30, measured=False)
    (moment,) = fitguard.watch("run", runs_folder=tmp_path)
    assert moment.values == {}
    assert "no flight record" in moment.missing[0]
    assert "This run has no flight record" in str(moment)


def test_a_damaged_flight_record_is_not_left_out_in_silence(tmp_path):
    folder = make_folder(tmp_path / "run", seconds=30)
    (folder.flight_records / "child.record").write_bytes(b"no record")
    (moment,) = fitguard.watch("run", runs_folder=tmp_path)
    assert moment.missing == (
        "child.record: it does not begin as a flight record does. What this file of the flight "
        "record measured is not shown.",
    )


def test_a_guarded_training_is_its_run_wherever_that_lies(tmp_path):
    folder = make_folder(tmp_path / "run", seconds=30)
    words = ["fitguard.keras.bootstrap", str(folder.path)]
    command = ["/bin/sh", "-c", "echo; read line", *words]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        child.stdout.readline()  # Before, the kernel may still show the command line as empty.
        found = choose(child.pid, tmp_path / "other")
        child.kill()
    assert found == folder


def test_old_values_of_a_run_that_runs_are_said_to_be_old(tmp_path):
    folder = make_folder(tmp_path / "run", seconds=30, ended=False)
    with locking_run(folder):
        assert "s old: its values may not be true any more" in Glance(folder).look().missing[0]


def test_a_folder_that_vanishes_is_a_sentence(tmp_path):
    folder = make_folder(tmp_path / "run", seconds=30, ended=False)
    with locking_run(folder):
        moments = fitguard.watch(folder.path, every_seconds=0.05)
        next(moments)
        shutil.rmtree(folder.path)
        with pytest.raises(UnreadableInput, match=r"run: it is not there any more. Expected the"):
            next(moments)


def test_wrong_input(tmp_path):
    with pytest.raises(UsageError, match="There are no runs in"):
        fitguard.watch(runs_folder=tmp_path)
    make_folder(tmp_path / "run", seconds=30)
    with pytest.raises(UsageError, match="Received other, which is no run"):
        fitguard.watch("other", runs_folder=tmp_path)
    for wrong in (0, -1, float("nan")):
        with pytest.raises(UsageError, match="between two looks"):
            fitguard.watch(runs_folder=tmp_path, every_seconds=wrong)


def test_a_folder_that_others_may_write_to_is_not_read(tmp_path):
    folder = make_folder(tmp_path / "run", seconds=30)
    folder.path.chmod(0o777)
    with pytest.raises(UnreadableInput, match="everybody may write to it"):
        next(fitguard.watch("run", runs_folder=tmp_path))
    assert next(fitguard.watch("run", runs_folder=tmp_path, trust_folder=True)).id == "run"
