"""Several replicas on one machine, killed: each replica's own values are there again."""

import signal

import pytest
from guarded.harness import GuardedRun, run_plain
from guarded.results import difference, saved
from guarded.soaking import OFTEN

from fitguard.schema.journal import Noted

FEW_STEPS = 5


def kill_after_snapshot(run, meanwhile=lambda: None):
    """Kill a training once it has a snapshot, after it has seen to something else."""
    child = run.next_child()
    assert child.wait_for(lambda: child.beat().saved_steps >= FEW_STEPS)
    meanwhile()
    assert child.signal(signal.SIGKILL)


@pytest.mark.soak
@pytest.mark.parametrize("replicas", [2, 4])
@pytest.mark.parametrize("library", ["keras", "tf_keras"])
@pytest.mark.parametrize("kind", ["dense", "conv", "lstm", "attention"])
def test_each_replica_goes_on_where_it_was(kind, library, replicas, tmp_path):
    words = ("mirrored.py", kind, library, replicas)
    plain = run_plain(words[0], tmp_path / "plain.npz", *words[1:])
    assert plain.code == 0, plain.text
    with GuardedRun(tmp_path / "run", *words, options=OFTEN) as run:
        kill_after_snapshot(run)
        ended = run.wait()
    assert ended.code == 0, ended.text
    assert [attempt.first.total_steps > 0 for attempt in run.record.attempts] == [False, True]
    assert difference(tmp_path / "plain.npz", run.out) == ""


@pytest.mark.soak
@pytest.mark.parametrize("library", ["keras", "tf_keras"])
@pytest.mark.parametrize(("before", "after"), [(2, 1), (1, 2), (4, 3)])
def test_goes_on_with_another_number_of_replicas(before, after, library, tmp_path):
    """As where a sick GPU is left out, and taken back: the batch stays, the sums are others."""
    told = tmp_path / "replicas"
    told.write_text(str(before))
    plain = run_plain("mirrored.py", tmp_path / "plain.npz", "conv", library, before)
    assert plain.code == 0, plain.text
    with GuardedRun(
        tmp_path / "run", "mirrored.py", "conv", library, before, told, options=OFTEN
    ) as run:
        kill_after_snapshot(run, lambda: told.write_text(str(after)))
        ended = run.wait()
    assert ended.code == 0, ended.text
    assert run.record.attempts[1].first.total_steps > 0
    said = [event.text for event in run.events(Noted) if event.kind == "inexact"]
    assert any(f"goes on with {after}" in text for text in said), said
    wanted, found = saved(tmp_path / "plain.npz"), saved(run.out)
    assert found["loss"] == pytest.approx(wanted["loss"], rel=0.2)
