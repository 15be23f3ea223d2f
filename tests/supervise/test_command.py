"""What the user typed, and what is made of it."""

import contextlib
import sys
from pathlib import Path

import pytest

from fitguard.clean_start import words_to_run
from fitguard.schema.exit_codes import UsageError
from fitguard.supervise.command import parse

PYTHON = sys.executable


@pytest.fixture
def script(tmp_path):
    (tmp_path / "train.py").write_text("")
    with contextlib.chdir(tmp_path):
        yield tmp_path / "train.py"


@pytest.mark.usefixtures("script")
@pytest.mark.parametrize(
    ("words", "options", "target", "arguments"),
    [
        (["train.py"], (), ("train.py",), ()),
        (["train.py", "--epochs", "3", "-m", "x"], (), ("train.py",), ("--epochs", "3", "-m", "x")),
        ([PYTHON, "train.py", "-u"], (), ("train.py",), ("-u",)),
        ([PYTHON, "-u", "-X", "dev", "train.py"], ("-u", "-X", "dev"), ("train.py",), ()),
        (["-m", "pkg.train", "--lr", "1"], (), ("-m", "pkg.train"), ("--lr", "1")),
        ([PYTHON, "-O", "-m", "pkg.train"], ("-O",), ("-m", "pkg.train"), ()),
    ],
)
def test_forms_that_are_understood(words, options, target, arguments):
    command = parse(words)
    assert command.python == PYTHON
    assert command.interpreter_options == options
    assert command.target == target
    assert command.arguments == arguments
    assert command.as_given == tuple(words)
    assert command.name == "train"


@pytest.mark.usefixtures("script")
def test_the_command_line_of_the_child():
    command = parse([PYTHON, "-u", "train.py", "--epochs", "3"])
    assert command.argv(Path("/runs/1")) == [
        *(PYTHON, "-u", *words_to_run("fitguard.keras.bootstrap")),
        *("/runs/1", "train.py", "--epochs", "3"),
    ]


def test_a_script_without_an_ending_is_known_by_its_first_line(script):
    script.with_name("train").write_text("#!/usr/bin/env python3\n")
    assert parse(["./train"]).target == ("./train",)


@pytest.mark.usefixtures("script")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "no command"),
        (["missing.py"], "missing.py, which is no file"),
        (["bash", "run.sh"], "bash, which is a program, but no Python script"),
        (["/bin/sh"], "/bin/sh, which is no Python script"),
        (["."], "., which is a folder"),
        (["-m"], "-m without a module"),
        ([PYTHON, "-c", "print(1)"], "a script in a file"),
        ([PYTHON], "a script in a file"),
        (["python9.99", "train.py"], "python9.99, which is no program here"),
    ],
)
def test_what_cannot_be_guarded_is_refused_with_what_can(words, said):
    with pytest.raises(UsageError) as raised:
        parse(words)
    assert said in str(raised.value)
    assert "Expected `train.py ARGUMENTS`" in str(raised.value)


def test_a_word_that_no_journal_can_hold(script):
    with pytest.raises(UsageError, match=r"b'arg\\xff' as a word of the command. Expected UTF-8"):
        parse([str(script), "arg\udcff"])


def test_an_interpreter_without_fitguard_is_refused(script):
    other = script.with_name("python3")
    other.write_text(f'#!/bin/sh\nexec {PYTHON} -I -S "$@"\n')
    other.chmod(0o755)
    with pytest.raises(UsageError, match=r"cannot import fitguard.*No module named 'fitguard'"):
        parse([str(other), "train.py"])


def test_an_interpreter_that_is_too_old_is_refused_with_its_version(script):
    other = script.with_name("python3")
    other.write_text("#!/bin/sh\necho Python 3.10.13 >&2\nexit 1\n")
    other.chmod(0o755)
    with pytest.raises(
        UsageError, match=r"which is Python 3\.10\.13\. fitguard needs Python 3\.11"
    ):
        parse([str(other), "train.py"])


def test_another_interpreter_with_fitguard_is_taken(script):
    other = script.with_name("python3")
    other.write_text(f'#!/bin/sh\nexec {PYTHON} "$@"\n')
    other.chmod(0o755)
    assert parse([str(other), "train.py"]).python == str(other)
