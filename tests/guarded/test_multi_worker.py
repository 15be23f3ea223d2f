"""MultiWorkerMirroredStrategy: real workers, each under a `fitguard run` of its own."""

import json
import os
import signal
import socket

import numpy as np
import programs
import pytest
from cluster import make_tf_configs, start_guarded, start_plain, wait_for_all
from guarded.harness import GuardedRun
from guarded.results import difference, saved

from fitguard.keras.snapshots.store import SnapshotStore
from fitguard.schema.journal import AttemptEnded, Noted, SnapshotWritten

SCRIPT = "several_workers.py"
OFTEN = ("--snapshot-seconds", 0.05)
_MENDED = "cannot train under MultiWorkerMirroredStrategy (keras#20585)"
_FUNCTIONS = ("_maybe_symbolic_build", "reduce_per_replica")


def is_listening(tf_config):
    """Whether a worker answers at its own address."""
    told = json.loads(tf_config)
    host, port = told["cluster"]["worker"][told["task"]["index"]].split(":")
    with socket.socket() as one:
        return one.connect_ex((host, int(port))) == 0


def first_end(run):
    """How the first attempt of a run ended, once it has."""
    ended = programs.wait_for(lambda: run.folder and run.events(AttemptEnded))
    return ended[0]


def test_keras_is_mended_and_ends_with_the_weights_of_a_loop_by_hand(tmp_path):
    runs = start_guarded(tmp_path, SCRIPT, options=OFTEN)
    results = [saved(out) for out in wait_for_all(runs)]
    for result in results:
        weights = [array for name, array in result.items() if name.startswith("arr_")]
        for number, array in enumerate(weights):
            assert array.tobytes() == result[f"hand_{number}"].tobytes()
    for run in runs:
        notes = [note.text for note in run.events(Noted) if _MENDED in note.text]
        assert [any(name in note for note in notes) for name in _FUNCTIONS] == [True, True]
        assert len(notes) == len(_FUNCTIONS)
        assert len(run.record.attempts) == 1
        assert run.events(SnapshotWritten)
    # The statistics of BatchNormalization are each worker's own, in its model and its snapshot.
    first, second = results
    own = [name for name in first if first[name].tobytes() != second[name].tobytes()]
    fitted = [name for name in own if name.startswith("arr_")]
    assert len(fitted) == 2
    for run, result in zip(runs, results, strict=True):
        kept = SnapshotStore(run.folder.snapshots).newest(1).arrays.values()
        for name in fitted:
            assert any(np.array_equal(array, result[name]) for array in kept)


def test_a_worker_that_waits_for_a_missing_one_can_be_ended(tmp_path):
    """TensorFlow waits where no signal handler runs."""
    tf_config = make_tf_configs(2)[0]
    environment = {"TF_CONFIG": tf_config}
    options = ("--grace-seconds", 1)
    with GuardedRun(tmp_path, SCRIPT, options=options, environment=environment) as run:
        child = run.next_child()
        assert child.wait_for(lambda: is_listening(tf_config))
        os.kill(run.parent, signal.SIGTERM)
        assert run.wait().code == 75
        assert not child.is_alive
        assert run.record.attempts[-1].signal == "SIGKILL"


@pytest.mark.soak
def test_tf_keras_gives_what_it_gives_without_fitguard(tmp_path):
    more = ("--library", "tf_keras", "--validate")
    plain = wait_for_all(start_plain(tmp_path / "plain", SCRIPT, *more))
    runs = start_guarded(tmp_path / "guarded", SCRIPT, *more, options=OFTEN)
    for one, other in zip(plain, wait_for_all(runs), strict=True):
        assert difference(one, other) == ""
    assert not [note for run in runs for note in run.events(Noted) if _MENDED in note.text]


@pytest.mark.soak
@pytest.mark.parametrize("victim", [0, 1])
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_a_worker_notices_that_another_is_killed_or_stopped(victim, number, tmp_path):
    options = (*OFTEN, "--worker-heartbeat-seconds", 3, "--max-attempts", 1)
    runs = start_guarded(tmp_path, SCRIPT, "--slow", 0.2, options=options)
    child = runs[victim].next_child()
    assert child.wait_for(lambda: child.beat().place.total_steps > 3)
    assert child.signal(number)
    assert first_end(runs[1 - victim]).outcome == "exception"


@pytest.mark.soak
@pytest.mark.parametrize("options", [("--collective-seconds", 5), ("--hang-seconds", 5)])
def test_a_worker_that_is_stuck_does_not_keep_the_others_for_ever(options, tmp_path):
    runs = start_guarded(
        tmp_path, SCRIPT, "--stuck", 1, options=(*OFTEN, *options, "--max-attempts", 1)
    )
    assert first_end(runs[0]).outcome in ("exception", "hung")
