"""`probe --like` with what does not train, or is no script."""

import subprocess
import sys

import pytest

from fitguard.cli.main import run
from fitguard.readiness.probing_like import probe_like
from fitguard.schema.exit_codes import UnreadableInput, UsageError


@pytest.mark.parametrize(
    ("script", "error", "told"),
    [
        ("print('no training')", UsageError, "train.py ends without a call of fit"),
        ("x = {}['a']", UnreadableInput, "train.py raised KeyError: 'a'"),
        ("import os; os.abort()", UnreadableInput, "the script was ended by SIGABRT"),
        ("exit()", UsageError, "hyphens: fitguard probe --like train.py -- --data images"),
        ("exit(2)", UnreadableInput, "hyphens: fitguard probe --like train.py -- --data images"),
        ("input()", UsageError, "`fitguard probe --like train.py < answers.txt`"),
    ],
)
def test_scripts_that_do_not_train(tmp_path, monkeypatch, script, error, told):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(script)
    with pytest.raises(error, match=told):
        probe_like("train.py", python=sys.executable)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--like", "train.py"], "train.py ends without a call of fit"),
        (["train.py"], "Received train.py. Expected options, or --like SCRIPT before it"),
        (["--like", ""], "Received --like ''. Expected a script that trains, such as train.py"),
        (["--python", ""], "Received --python ''. Expected the path of a Python interpreter"),
        (["--like", "train.py", "--python", ""], "Received '', which is no program here"),
        (["--like", "train.py", "--data", "x"], "fitguard probe --like train.py -- --data images"),
        (["--like=train.py", "--data", "x"], "fitguard probe --like train.py -- --data images"),
    ],
)
def test_wrong_usage_exits_with_2(tmp_path, monkeypatch, capsys, arguments, told):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text("print('no training')")
    assert run(["probe", *arguments]) == 2
    assert told in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "code", "told"),
    [
        ("absent.py", 5, "absent.py, which is no file"),
        ("absent.py:make", 5, "absent.py, which is no file"),
        (".", 2, "which is a folder"),
        ("notes.txt", 2, "Received 'notes.txt'. Expected the script that trains"),
    ],
)
def test_what_is_no_script_ends_as_in_a_check(tmp_path, monkeypatch, capsys, given, code, told):
    monkeypatch.chdir(tmp_path)
    for words in (["check", given], ["probe", "--like", given]):
        assert run(words) == code
        assert told in capsys.readouterr().err


def test_answers_come_from_standard_input(tmp_path):
    (tmp_path / "train.py").write_text("raise SystemExit('It is ' + input())")
    command = [sys.executable, "-m", "fitguard", "probe", "--like", "train.py"]
    done = subprocess.run(
        command, cwd=tmp_path, input="blue\n", capture_output=True, text=True, check=False
    )
    assert done.returncode == 5
    assert "It is blue" in done.stderr
