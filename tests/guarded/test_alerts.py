"""Alerts of real trainings, with TensorFlow's GPU allocator on the CPU."""

import time

import pytest
from guarded.harness import GuardedRun, memory_limit

from fitguard.schema.journal import Alerted, AttemptEnded

pytestmark = pytest.mark.soak


def train(folder, kind, until):
    """A run that has come to something."""
    environment = {**memory_limit(440), "TF_CPP_MIN_LOG_LEVEL": "0"}
    with GuardedRun(folder, "uses_memory.py", kind, environment=environment) as run:
        while not run.is_over and not (run.folder and until(run)):
            time.sleep(1)
        return run.events(Alerted), run.events(AttemptEnded)


def test_a_leak_is_found_before_memory_ends(tmp_path):
    alerts, ends = train(tmp_path, "leaks", lambda run: run.events(AttemptEnded))
    assert [alert.code for alert in alerts] == ["FG410"]
    assert alerts[0].time < ends[0].time
    assert ends[0].cause == "gpu-memory-leak"


def test_pieces_that_are_too_small_are_found(tmp_path):
    alerts, _ = train(tmp_path, "fragments", lambda run: run.events(Alerted))
    assert [alert.code for alert in alerts] == ["FG411"]


def test_growing_sequences_raise_nothing(tmp_path):
    alerts, ends = train(tmp_path, "grows", lambda run: run.events(AttemptEnded))
    assert alerts == []
    assert ends[0].outcome == "finished"
