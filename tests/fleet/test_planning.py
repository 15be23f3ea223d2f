"""Trainings whose memory nobody told."""

import msgspec
import pytest

from fitguard.fleet.needing import Need, plan_need
from fitguard.fleet.planning import apply_need
from fitguard.fleet.trainings import Training
from fitguard.schema.fleet import FleetJob

GIB = 2**30
JOB = FleetJob(name="a", command=("small.py", "out.npz", "1", "2"), folder="/project")


def test_what_fits_is_asked_for():
    one = Training(JOB)
    assert "4.0 GiB" in apply_need(one, Need(memory_bytes=4 * GIB), 8 * GIB)
    assert (one.memory_bytes, one.takes_whole) == (4 * GIB, False)


def test_what_is_too_large_trains_with_micro_batches():
    one = Training(JOB)
    said = apply_need(one, Need(memory_bytes=20 * GIB, micro_batch=8), 8 * GIB)
    assert "micro-batches of 8 rows" in said
    assert (one.takes_whole, one.micro_batch) == (True, 8)


def test_what_may_be_too_large_is_tried_on_a_whole_card():
    one = Training(JOB)
    need = Need(memory_bytes=9 * GIB, micro_batch=8, may_fit=True)
    assert "up to 9.0 GiB, and the largest card has 8.0 GiB" in apply_need(one, need, 8 * GIB)
    assert (one.takes_whole, one.micro_batch) == (True, None)


def test_what_is_too_large_in_every_way_is_left_to_be_refused():
    one = Training(JOB)
    apply_need(one, Need(memory_bytes=20 * GIB), 8 * GIB)
    assert (one.memory_bytes, one.takes_whole) == (20 * GIB, False)


def test_what_cannot_be_planned_gets_a_whole_card():
    one = Training(JOB)
    assert "no such script" in apply_need(one, Need(problem="no such script"), 8 * GIB)
    assert one.takes_whole


@pytest.mark.parametrize(
    ("command", "problem"), [(("-m", "project"), "a module"), (("gone.py",), "gone.py")]
)
def test_what_plan_cannot_read(tmp_path, monkeypatch, command, problem):
    monkeypatch.chdir(tmp_path)
    job = msgspec.structs.replace(JOB, command=command, folder=str(tmp_path))
    assert problem in plan_need(job, GIB, on_gpus=False).problem


@pytest.mark.soak
def test_a_real_plan(tmp_path, monkeypatch, scripts):
    monkeypatch.chdir(tmp_path)
    job = msgspec.structs.replace(JOB, folder=str(scripts(tmp_path)))
    need = plan_need(job, GIB, on_gpus=False)
    assert need.problem == ""
    assert 10_000 < need.memory_bytes < GIB
    assert plan_need(job, GIB, on_gpus=True).memory_bytes > need.memory_bytes + 2**28
