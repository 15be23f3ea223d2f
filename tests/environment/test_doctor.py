"""`fitguard.doctor()`: this machine, with and without TensorFlow, in a real child process."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from programs import LONGEST_SECONDS, is_alive, make_python, start, wait_for

import fitguard
from fitguard.environment.deep import import_tensorflow
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.facts import Facts
from fitguard.schema.software import Python


def deep(tmp_path: Path, body: str, limit_seconds: float = 60.0):
    facts = Facts(python=Python(version="3.11", executable=make_python(tmp_path, body)))
    return import_tensorflow(facts, limit_seconds)


@pytest.mark.parametrize("name", ["SIGSEGV", "SIGABRT", "SIGILL"])
def test_a_crash_is_a_result(tmp_path, name):
    number = getattr(signal, name).value
    body = f"import os, sys\nsys.stderr.write('last words\\n')\nos.kill(os.getpid(), {number})"
    result = deep(tmp_path, body)
    assert result.signal == name
    assert result.version is None
    assert "last words" in result.log
    findings = fitguard.doctor(facts=Facts(deep=result)).findings
    assert [item.slug for item in findings] == ["tensorflow-import-fails"]
    assert name in findings[0].title


def test_a_hang_ends_at_the_limit(tmp_path):
    result = deep(tmp_path, "import time\ntime.sleep(600)", limit_seconds=1.0)
    assert result.timed_out
    assert result.seconds < LONGEST_SECONDS


def test_an_exception_is_quoted(tmp_path):
    result = deep(tmp_path, "raise ImportError('libcudart.so.11.0: cannot open')")
    assert result.exit_code == 1
    assert any("libcudart.so.11.0" in line for line in result.log)


def test_much_output_is_no_crash(tmp_path):
    body = "import os\nfor _ in range(12): os.write(2, b'y' * 2**20)\nraise ImportError('so it is')"
    result = deep(tmp_path, body)
    assert (result.exit_code, result.signal) == (1, None)
    assert result.log[-1] == "ImportError: so it is"


def test_no_module_of_fitguard_shadows_one_of_the_user(tmp_path):
    body = (
        "import importlib.util\nraise SystemExit(3 + bool(importlib.util.find_spec('deep_child')))"
    )
    assert deep(tmp_path, body).exit_code == 3


def test_the_child_has_the_variables_of_the_user(tmp_path, monkeypatch):
    monkeypatch.setenv("FITGUARD_TEST", "yes")
    body = "import os\nos.write(2, ' '.join(map(os.environ.get, %r)).encode())\nraise SystemExit"
    result = deep(tmp_path, body % (["FITGUARD_TEST", "PYTHONFAULTHANDLER"],))
    assert result.log == ("yes 1",)


def test_ctrl_c_leaves_no_child(tmp_path):
    note = tmp_path / "pid"
    body = (
        f"import os, time\nopen({str(note)!r}, 'w').write(str(os.getpid()) + ' ')\ntime.sleep(60)"
    )
    python = make_python(tmp_path, body)
    started = start(
        [sys.executable, "-m", "fitguard", "doctor", "--deep", "--python", python],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    wait_for(lambda: note.exists() and note.read_text().endswith(" "))
    child = int(note.read_text())
    started.send_signal(signal.SIGINT)
    assert started.wait(LONGEST_SECONDS) != 0
    wait_for(lambda: not is_alive(child))


def test_an_interpreter_without_tensorflow(tmp_path):
    import venv

    venv.create(tmp_path / "empty", with_pip=False, symlinks=True)
    report = fitguard.doctor(python=str(tmp_path / "empty" / "bin" / "python"))
    assert not report.ok
    assert report.findings[0].slug == "tensorflow-missing"


def test_several_things_to_judge_are_refused():
    with pytest.raises(UsageError, match="Expected one of"):
        fitguard.doctor(facts=Facts(), what_if={"tf": "2.10"})
    with pytest.raises(UsageError, match="Expected one of"):
        fitguard.doctor(python=sys.executable, what_if={"tf": "2.10"})


def test_notebooks_show_a_page_without_private_names(monkeypatch):
    home = str(Path(sys.executable).parent.parent.parent)
    monkeypatch.setenv("HOME", home)
    for document in (fitguard.doctor(python=sys.executable), fitguard.gather_facts(sys.executable)):
        page = document._repr_html_()
        assert "tensorflow" in page.lower()
        assert home not in page


def test_select_may_be_a_string():
    report = fitguard.doctor(what_if={"tf": "1.4.1", "keras": "2.2.4"}, select="FG2,FG3")
    assert report.findings == ()
    with pytest.raises(fitguard.UsageError, match="Expected a code"):
        fitguard.doctor(what_if={"tf": "1.4.1"}, select=["nonsense"])
