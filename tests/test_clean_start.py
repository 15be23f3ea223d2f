"""No process of fitguard runs code of the current folder before the user's script asks for it."""

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from programs import LONGEST_SECONDS

from fitguard.clean_start import words_to_run
from fitguard.crash.explaining import Answer, Request, explain_in_child
from fitguard.environment.deep import import_tensorflow
from fitguard.facts.interpreter import interview
from fitguard.memory.measuring.request import Script
from fitguard.memory.measuring.trial import Silent, Trials
from fitguard.monitor.heartbeat import Heartbeat
from fitguard.monitor.run_folder import RunFolder
from fitguard.readiness.script import check_script
from fitguard.schema.facts import Facts
from fitguard.schema.journal import Orders
from fitguard.supervise.interpreters import require_fitguard

_ALSO = ("fitguard", "msgspec", "numpy", "psutil", "rich", "cyclopts", "cloudpickle", "tensorflow")
_PLANTED = "import os, sys; open(os.environ['FITGUARD_TEST_RAN'], 'a').write(__name__ + '\\n')"


@pytest.fixture
def ran(tmp_path, monkeypatch):
    """A file that each module of the current folder writes its name to; any module lies there."""
    folder = tmp_path / "current"
    folder.mkdir()
    for name in {*sys.stdlib_module_names, *_ALSO}:
        (folder / f"{name}.py").write_text(_PLANTED)
    monkeypatch.chdir(folder)
    told = tmp_path / "ran"
    monkeypatch.setenv("FITGUARD_TEST_RAN", str(told))
    return told


def has_run(ran):
    return ran.read_text().split() if ran.exists() else []


def test_what_is_planted_would_run(ran):
    subprocess.run([sys.executable, "-m", "trace"], check=False, timeout=LONGEST_SECONDS)
    assert has_run(ran)


def test_the_diagnosis_of_a_crash(ran):
    answer = explain_in_child(Request(output=b"Killed\n", signal="SIGKILL"))
    assert has_run(ran) == []
    assert answer != Answer()


def test_the_facts_and_the_import(ran):
    assert interview(sys.executable, {"FITGUARD_TEST_RAN": str(ran)}).python is not None
    import_tensorflow(Facts(), limit_seconds=0.5)
    assert has_run(ran) == []


def test_another_python(ran, tmp_path):
    other = tmp_path / "python"
    other.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    other.chmod(0o755)
    require_fitguard(str(other))
    assert has_run(ran) == []


def test_a_trial(ran, tmp_path):
    # Another module of ours, which takes less time to fail.
    step = Script(module="fitguard.crash.explaining", reference="no.py")
    trials = Trials(step=step, batch_size=1, jit_compile=False, folder=tmp_path, device="cpu")
    with pytest.raises(Silent, match="DecodeError"):
        trials.run(None)
    assert has_run(ran) == []


def test_a_check_of_a_script(ran, tmp_path):
    script = tmp_path / "train.py"
    script.write_text("import random\n")
    check_script(str(script))
    assert has_run(ran) == []


def test_the_training_and_what_a_notebook_sends(ran, tmp_path):
    folder = RunFolder(tmp_path / "run")
    folder.path.mkdir()
    folder.orders.write_bytes(msgspec.json.encode(Orders()))
    Heartbeat(folder.heartbeat, create=True).close()
    script = tmp_path / "train.py"
    script.write_text("import ctypes, random, runpy, fitguard, queue\n")
    command = [sys.executable, *words_to_run("fitguard.keras.bootstrap"), str(folder.path)]
    done = subprocess.run([*command, str(script)], check=False, timeout=LONGEST_SECONDS)
    assert (done.returncode, has_run(ran)) == (0, [])
    notebook = subprocess.run(
        [*command, "-m", "fitguard.notebook.fit", "no-request"],
        *(),
        check=False,
        capture_output=True,
        timeout=LONGEST_SECONDS,
    )
    assert b"no-request" in notebook.stderr
    assert has_run(ran) == []


def test_nothing_else_is_started_with_a_module():
    sources = Path(__file__).parents[1].joinpath("src").rglob("*.py")
    started = [file for file in sources if '"-m", "fitguard' in file.read_text()]
    assert started == []
