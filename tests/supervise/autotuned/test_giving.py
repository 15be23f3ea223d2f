"""What an attempt begins with, on a recorded card and with the TensorFlow that is here."""

import re
import sys
from dataclasses import replace
from pathlib import Path

import programs
import pytest
from facts.fake_site import build_library, install
from facts.replay_nvml import ReplayNvml
from supervise.autotuned.xla_files import written

from fitguard.facts import nvml
from fitguard.monitor.run_folder import RunFolder
from fitguard.supervise.autotuned.flags import DUMP, LOAD
from fitguard.supervise.autotuned.giving import SWITCH, give_results
from fitguard.supervise.command import Command

H200 = nvml.ask(ReplayNvml("h200"))
QUOTED = re.compile(r'--(\w+)="([^"]*)"')


class Runs:
    """Runs of one script, whose XLA writes what a test says.

    Attributes:
        machine: What NVML tells.
        environment: Of the training.
    """

    def __init__(self, tmp_path) -> None:
        self._tmp_path = tmp_path
        script = tmp_path / "train.py"
        script.write_text("model.fit(x, y)\n")
        self.command = Command(python=sys.executable, target=(str(script),))
        self.environment = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
        self.machine = H200
        self.memory_limit_bytes = None
        self.begin("first")

    def begin(self, name: str) -> None:
        self.folder = RunFolder(self._tmp_path / name)
        self.folder.path.mkdir()
        self.attempt = 0

    def give(self):
        self.attempt += 1
        return give_results(
            self.folder,
            self.attempt,
            self.command,
            self.environment,
            self.memory_limit_bytes,
            read=lambda: self.machine,
        )

    def train(self, *kernels, outcome="killed", stepped=True, tight=False) -> str:
        """One attempt that tries these kernels; what it began with."""
        results = self.give()
        Path(dict(QUOTED.findall(results.flags))[DUMP]).write_bytes(written(*kernels))
        results.take(outcome, stepped=stepped, short_of_memory=tight)
        return str(results)


@pytest.fixture
def runs(tmp_path) -> Runs:
    return Runs(tmp_path)


def test_each_attempt_begins_with_what_the_one_before_has_found(runs):
    assert runs.train(1, 2) == ""
    assert runs.train(1, 2, 3) == "2 autotuning results of attempt 1"
    third = runs.give()
    assert str(third) == "3 autotuning results of attempt 2"
    named = dict(QUOTED.findall(third.flags))
    assert list(named) == [LOAD, DUMP]
    assert named[LOAD] != named[DUMP]
    # What is not needed any more is gone, and nobody else may read the rest.
    kept = sorted(runs.folder.autotuned.iterdir())
    assert [str(path) for path in kept] == sorted(named.values())
    assert {path.stat().st_mode & 0o077 for path in [*kept, runs.folder.autotuned]} == {0}


def test_a_later_run_begins_with_what_an_earlier_one_has_found(runs):
    runs.train(7, outcome="finished")
    runs.begin("second")
    assert runs.train(7, 8) == (
        "1 autotuning result of an earlier run of the same script with this "
        "TensorFlow, driver and card"
    )
    runs.begin("third")
    assert "2 autotuning results of an earlier run" in runs.train(7)


def test_a_torn_file_is_passed_over(runs):
    runs.train(1, 2)
    given = runs.give()
    Path(dict(QUOTED.findall(given.flags))[DUMP]).write_bytes(written(1, 2, 3)[:-5])
    given.take("killed", stepped=False, short_of_memory=False)
    assert runs.train(1) == "2 autotuning results of attempt 1"


def test_a_torn_file_of_the_cache_is_passed_over(runs, tmp_path):
    runs.train(1, 2)
    (kept,) = (tmp_path / "cache" / "fitguard" / "autotuned").iterdir()
    kept.write_bytes(kept.read_bytes()[:-5])
    runs.begin("second")
    assert runs.train(1) == ""


def set_argument(runs):
    runs.command = replace(runs.command, arguments=("--deterministic",))


def set_script(runs):
    Path(runs.command.target[0]).write_text("model.fit(x, y, epochs=2)\n")


def set_driver(runs):
    runs.machine = replace(H200, version="590.44.01")


def set_card(runs):
    calls = {"nvmlDeviceGetName(gpu0)": {"result": "NVIDIA H100"}}
    runs.machine = nvml.ask(ReplayNvml("h200", calls))


def set_limit(runs):
    runs.memory_limit_bytes = 8 << 30


def set_flags(runs):
    runs.environment["XLA_FLAGS"] = "--xla_gpu_deterministic_ops=true"


def set_libraries(runs):
    runs.environment["LD_LIBRARY_PATH"] = "/opt/cuda-12.9/lib64"


@pytest.mark.parametrize(
    "change", [set_argument, set_script, set_driver, set_card, set_limit, set_flags, set_libraries]
)
def test_results_that_were_found_otherwise_are_not_used(runs, change):
    runs.train(1, 2)
    change(runs)
    assert runs.train(3) == ""
    runs.begin("second")
    assert "1 autotuning result of an earlier run" in runs.train(3)


def test_after_out_of_memory_xla_chooses_anew(runs):
    runs.train(1, outcome="finished")
    runs.begin("second")
    assert runs.train(1, 2, outcome="out-of-memory") != ""
    assert runs.train(3, tight=True) == ""
    assert runs.train(3, tight=True) == "1 autotuning result of attempt 2"
    # What was chosen for little memory is not for a run that may have more.
    runs.begin("third")
    assert runs.train(4) == ""


@pytest.mark.parametrize("outcome", ["crashed", "exception", "exited", "hung"])
def test_what_an_attempt_failed_with_before_its_first_step_is_not_tried_again(runs, outcome):
    runs.train(1, outcome="finished")
    runs.begin("second")
    assert runs.train(1, 2, outcome=outcome, stepped=False) != ""
    assert runs.train(3, outcome=outcome, stepped=False) == ""
    assert runs.train(3, outcome=outcome, stepped=True) != ""
    assert runs.train(3) != ""


@pytest.mark.parametrize("outcome", ["killed", "preempted", "interrupted", "planned", "followed"])
def test_an_end_from_outside_costs_no_results(runs, outcome):
    runs.train(1)
    runs.train(1, 2, outcome=outcome, stepped=False)
    assert runs.train(1) == "2 autotuning results of attempt 2"


def test_an_attempt_whose_number_comes_again_does_not_read_what_it_writes(runs):
    runs.train(1)
    runs.train(1, 2)
    runs.attempt -= 1
    assert runs.train(1) == "1 autotuning result of attempt 1"


def test_nothing_is_set_without_a_gpu(runs):
    runs.machine = nvml.NvmlFacts()
    assert runs.give() is None
    runs.machine = H200
    runs.environment["CUDA_VISIBLE_DEVICES"] = "-1"
    assert runs.give() is None
    assert not runs.folder.autotuned.exists()


def test_nothing_is_set_where_the_user_does_not_want_it(runs):
    runs.environment[SWITCH] = "0"
    assert runs.give() is None
    del runs.environment[SWITCH]
    runs.environment["XLA_FLAGS"] = f"--{DUMP}=/own.pb"
    assert runs.give() is None
    del runs.environment["XLA_FLAGS"]
    assert runs.give() is not None


def test_nothing_is_set_for_a_tensorflow_without_the_flags(runs, tmp_path):
    python = programs.make_python(tmp_path, "__version__ = '2.13.1'")
    install(tmp_path, "tensorflow", "2.13.1", {"tensorflow/__init__.py": ""})
    library = tmp_path / "tensorflow" / "libtensorflow_cc.so.2"
    build_library(library, source='const char *flag = "xla_gpu_autotune_level";')
    runs.command = replace(runs.command, python=python)
    assert runs.give() is None
    build_library(library, source=f'const char *load = "{LOAD}", *dump = "{DUMP}";')
    assert runs.give() is not None


def test_a_folder_that_cannot_be_written_costs_the_results_only(runs):
    runs.folder.autotuned.write_text("not a folder")
    assert runs.give() is None
