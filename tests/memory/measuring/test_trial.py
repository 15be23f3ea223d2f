"""Children that crash, hang, or have no GPU: real processes, without TensorFlow."""

import pytest
from memory.measuring.acting import SURROUNDING, acted

from fitguard.memory.measuring.confinement import child_environment
from fitguard.memory.measuring.measuring import measure
from fitguard.memory.measuring.trial import Silent, TooSlow, Trials
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.plan import Range

MIB = 2**20
ESTIMATED = Range(90 * MIB, 100 * MIB, 110 * MIB)


def trials(folder, how, **settings):
    return Trials(
        step=acted(how),
        batch_size=4,
        jit_compile=False,
        folder=folder,
        surrounding=SURROUNDING,
        **settings,
    )


def measured(folder, how, **settings):
    return measure(trials(folder, how, **settings), ESTIMATED, 500 * MIB, "2026-01-02")


def test_a_crash_tells_the_signal_and_the_last_words(tmp_path):
    with pytest.raises(
        Silent, match=r"it ended with signal SIGABRT\. It said last:\n(.|\n)*the last"
    ):
        trials(tmp_path, "crash").run(10)
    with pytest.raises(
        UsageError, match=r"and it ended with signal SIGABRT(.|\n)*fitguard explain"
    ):
        measured(tmp_path, "crash")


def test_a_child_that_hangs_is_stopped(tmp_path):
    with pytest.raises(TooSlow, match=r"it was stopped after 0\.5 s"):
        trials(tmp_path, "sleep", limit_seconds=0.5).run(None)


def test_an_error_that_is_not_of_memory_is_shown(tmp_path):
    with pytest.raises(UsageError, match="which raised ValueError: labels out of range\nExpected"):
        measured(tmp_path, "raise")


def test_a_tensorflow_without_gpu_is_told(tmp_path):
    with pytest.raises(UsageError, match="TensorFlow sees no GPU in a child process"):
        measured(tmp_path, "no gpu")


def test_the_least_memory_and_the_peak_are_measured(tmp_path):
    found = measured(tmp_path, "needs 97")
    assert (found.gpu, found.taken, found.peak_bytes) == ("NVIDIA T4", "2026-01-02", 194 * MIB)
    assert found.fails_bytes < 97 * MIB <= found.runs_bytes
    assert found.runs_bytes - found.fails_bytes <= 2 * MIB


def test_the_environment_of_a_child():
    around = {"CUDA_VISIBLE_DEVICES": "-1", "FITGUARD_CUDA_VISIBLE_DEVICES": "1", "HOME": "/home"}
    limited = child_environment(around, "gpu", 100)
    assert limited["CUDA_VISIBLE_DEVICES"] == "1"
    assert limited["TF_FORCE_GPU_ALLOW_GROWTH"] == "false"
    assert child_environment(around, "gpu", None)["TF_FORCE_GPU_ALLOW_GROWTH"] == "true"
    on_cpu = child_environment(around, "cpu", 100)
    assert on_cpu["CUDA_VISIBLE_DEVICES"] == "-1"
    assert on_cpu["TF_CPU_BFC_MEM_LIMIT_IN_MB"] == "100"
    assert "TF_CPU_BFC_MEM_LIMIT_IN_MB" not in child_environment(around, "cpu", None)
