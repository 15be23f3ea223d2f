"""Two real workers under `fitguard run --workers`: whatever ends one of them, the weights are those
of two workers without a fault, bit for bit on both."""

import os
import signal

import pytest
from guarded.real_gang import WORKERS, RealGang
from programs import wait_for

from fitguard.schema.journal import INEXACT, Noted

pytestmark = pytest.mark.soak
LIBRARIES = ("tf_keras", "keras")
SLOW = {"STEP_SECONDS": "0.15"}


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """What two workers give without fitguard, by library; Keras 3 needs it to train at all."""
    known = {}

    def train(library):
        if library not in known:
            gang = RealGang(tmp_path_factory.mktemp("plain"), library)
            if library == "keras":
                gang.start()
                assert gang.ended() == 0, gang.told.read_text()
            else:
                gang.train_plainly()
            known[library] = gang.results()
        return known[library]

    return train


def check_finished(gang, plain, library="tf_keras"):
    assert gang.ended() == 0, gang.told.read_text()
    assert gang.results() == plain(library)
    assert gang.begun(0) == gang.begun(1)


def kill_child(gang):
    os.kill(gang.child(1), signal.SIGKILL)


def kill_child_of_the_first(gang):
    os.kill(gang.child(0), signal.SIGKILL)


def kill_guard(gang):
    os.kill(gang.guard(1), signal.SIGKILL)


def kill_guard_of_the_first(gang):
    os.kill(gang.guard(0), signal.SIGKILL)


def stop_child(gang):
    os.kill(gang.child(1), signal.SIGSTOP)


def kill_both_children(gang):
    for worker in WORKERS:
        os.kill(gang.child(worker), signal.SIGKILL)


def test_a_killed_worker_costs_nothing_but_time(tmp_path, plain):
    gang = RealGang(tmp_path, "tf_keras", **SLOW)
    gang.start()
    gang.until()
    kill_child(gang)
    check_finished(gang, plain)
    assert gang.begun(0)[-1] > 0
    assert gang.outcomes(1) == ["killed", "finished"]
    assert gang.outcomes(0) == ["followed", "finished"]
    notes = [note for worker in WORKERS for note in gang.events(worker, Noted)]
    assert not [note for note in notes if note.kind == INEXACT]


@pytest.mark.parametrize("library", LIBRARIES)
def test_without_a_fault_nothing_differs(tmp_path, plain, library):
    gang = RealGang(tmp_path, library)
    gang.start()
    check_finished(gang, plain, library)
    assert gang.outcomes(0) == gang.outcomes(1) == ["finished"]


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize(
    "harm",
    [
        kill_child_of_the_first,
        kill_guard,
        kill_guard_of_the_first,
        stop_child,
        kill_both_children,
    ],
)
def test_all_go_on_from_a_complete_set(tmp_path, plain, harm, library):
    gang = RealGang(tmp_path, library, **SLOW)
    gang.start("--lease-seconds=5")
    gang.until()
    harm(gang)
    check_finished(gang, plain, library)
    assert gang.begun(0)[-1] > 0
    assert len(gang.outcomes(0)) == 2, gang.told.read_text()


def test_a_worker_that_is_stuck_is_found(tmp_path, plain):
    gang = RealGang(tmp_path, "tf_keras", "stuck:1:20", **SLOW)
    gang.start("--hang-seconds=5")
    # The fault is a word of the command, and changes no number.
    check_finished(gang, plain)
    assert "hung" in gang.outcomes(0) + gang.outcomes(1)


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGKILL])
def test_a_head_that_ends_leaves_a_common_set_behind(tmp_path, plain, end):
    gang = RealGang(tmp_path, "tf_keras", **SLOW)
    gang.start()
    gang.until()
    gang.head.send_signal(end)
    code = gang.ended()
    wait_for(lambda: all(gang.outcomes(worker) for worker in WORKERS))
    assert code == (75 if end == signal.SIGTERM else -signal.SIGKILL)
    assert [gang.outcomes(worker) for worker in WORKERS] == [["preempted"]] * 2
    newest = gang.complete()[0]
    wait_for(lambda: gang.codes() == [75, 75])
    gang.start("--resume")
    check_finished(gang, plain)
    assert gang.begun(0)[-1] == newest.steps


def test_an_error_of_one_script_ends_all_and_is_named(tmp_path):
    gang = RealGang(tmp_path, "tf_keras", "raise:1:12")
    gang.start()
    assert gang.ended() == 1
    told = gang.told.read_text()
    assert "fitguard [worker 0]: worker 1 stopped, and so do all: ValueError: worker 1 has" in told
    assert "worker 1 has had enough" in gang.gang.find_worker(1).output.read_text()
    assert gang.codes() == [1, 1]


def test_a_script_without_a_strategy_is_told(tmp_path):
    (tmp_path / "alone.py").write_text(
        "import numpy as np, tf_keras as keras, time\n"
        "model = keras.Sequential([keras.layers.Dense(1)])\n"
        "model.compile('sgd', 'mse')\n"
        "slow = keras.callbacks.LambdaCallback(on_batch_end=lambda batch, logs: time.sleep(0.05))\n"
        "model.fit(np.zeros((320, 2)), np.zeros(320), batch_size=8, verbose=0, callbacks=[slow])\n"
    )
    gang = RealGang(tmp_path)
    gang._words = ["alone.py"]
    gang.start()
    assert gang.ended() == 0
    assert "has built no tf.distribute.MultiWorkerMirroredStrategy" in gang.told.read_text()
