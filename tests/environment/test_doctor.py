"""`fitguard.doctor()`: this machine, with and without TensorFlow, in a real child process."""

import os
import signal
import sys
from pathlib import Path

import pytest

import fitguard
from fitguard.environment.deep import import_tensorflow
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.facts import Facts
from fitguard.schema.software import Python


def interpreter_that(tmp_path: Path, body: str) -> str:
    """A Python whose `import tensorflow` does what the body says."""
    package = tmp_path / "tensorflow"
    package.mkdir()
    (package / "__init__.py").write_text(body)
    script = tmp_path / "python"
    script.write_text(f'#!/bin/sh\nPYTHONPATH="{tmp_path}" exec {sys.executable} "$@"\n')
    script.chmod(0o755)
    return str(script)


def deep(tmp_path: Path, body: str, limit_seconds: float = 60.0):
    facts = Facts(python=Python(version="3.11", executable=interpreter_that(tmp_path, body)))
    return import_tensorflow(facts, limit_seconds)


def test_real_tensorflow_is_imported_in_a_child():
    report = fitguard.doctor(python=sys.executable, deep=True)
    assert report.facts.deep.version == report.facts.tensorflow.version
    assert report.facts.deep.gpus == ()
    assert report.ok, report.findings
    assert "tensorflow" not in sys.modules


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
    assert result.seconds < 5


def test_an_exception_is_quoted(tmp_path):
    result = deep(tmp_path, "raise ImportError('libcudart.so.11.0: cannot open')")
    assert result.exit_code == 1
    assert any("libcudart.so.11.0" in line for line in result.log)


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


def test_notebooks_show_a_page_without_private_names():
    page = fitguard.doctor(python=sys.executable)._repr_html_()
    assert "TensorFlow" in page
    assert f"{Path.home()}{os.sep}" not in page
