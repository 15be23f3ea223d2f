"""Digests of the user's own files, and what is said where they changed between attempts."""

import contextlib
import json
import os
import shutil
import subprocess
import sys

import pytest
from guarded.attempts import session_in
from programs import LONGEST_SECONDS

from fitguard.clean_start import words_to_run
from fitguard.keras.sources import Sources
from fitguard.monitor.journal import Journal
from fitguard.schema.journal import Failed, Noted, SourcesRan

SCRIPT = """
import json, os
import rates
from parts import layers
from pathlib import Path
Path("rates.py").write_text(Path("next_rates.py").read_text())
from fitguard.keras.fitting.wrapping import current_fits
try:
    fits = current_fits()
    fits.next_number()
    fits.sources.stand_on(json.loads(os.environ["STANDS_ON"]))
    import late
except Exception:
    raise SystemExit("no refusal may be caught")
"""
"""Goes on from a snapshot as `fit` does, and has its module edited before that."""


class Project:
    """A script with its modules, run as attempts of one run."""

    def __init__(self, folder):
        self.folder = folder
        self.run = folder / "run"
        (folder / "parts").mkdir()
        self.write("train.py", SCRIPT)
        for name in ("rates.py", "next_rates.py", "late.py", "parts/layers.py"):
            self.write(name, "x = 1\n")
        self.write("parts/__init__.py", "")

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def attempt(self, number, *command, stands_on=None, **orders):
        session_in(self.run, number, **orders)
        if stands_on is None:
            stands_on = list(range(1, number))
        return subprocess.run(
            [
                sys.executable,
                *words_to_run("fitguard.keras.bootstrap"),
                self.run,
                *(command or ["train.py"]),
            ],
            cwd=self.folder,
            env={**os.environ, "STANDS_ON": json.dumps(stands_on)},
            capture_output=True,
            text=True,
            check=False,
            timeout=LONGEST_SECONDS,
        )

    def events(self, kind):
        return [e for e in Journal(self.run / "journal.jsonl").read() if isinstance(e, kind)]

    def notes(self):
        return [event.text for event in self.events(Noted) if event.kind == "changed-script"]


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path)


@pytest.mark.parametrize("command", [("train.py",), ("-m", "train")])
def test_the_journal_holds_the_users_files_and_no_others(project, command):
    assert project.attempt(1, *command).returncode == 0
    told = [event.digests for event in project.events(SourcesRan)]
    names = [sorted(path.removeprefix(f"{project.folder}/") for path in one) for one in told]
    begun = ["parts/__init__.py", "parts/layers.py", "rates.py", "train.py"]
    assert names == [begun, ["late.py"]]
    assert {len(digest) for digest in told[0].values()} == {64}


def test_files_that_moved_with_the_run_are_no_news(project, tmp_path):
    project.attempt(1)
    project.folder = shutil.move(tmp_path, tmp_path.with_name(f"{tmp_path.name}-moved"))
    project.run = project.folder / "run"
    assert project.attempt(2, exact_only=True).returncode == 0


def test_the_same_files_are_no_news(project):
    project.attempt(1)
    (project.folder / "train.py").touch()
    assert project.attempt(2, exact_only=True).returncode == 0
    assert project.notes() == []


def test_files_that_changed_or_went_are_named(project):
    project.attempt(1)
    project.write("train.py", SCRIPT.replace("import late", ""))
    project.write("parts/layers.py", "x = 2\n")
    (project.folder / "late.py").unlink()
    told = project.attempt(2)
    old = "since attempt 1: what was trained before the restart was trained by the old code"
    assert project.notes() == [
        f"late.py is gone {old}",
        f"parts/layers.py and train.py have changed {old}",
    ]
    assert f"fitguard: late.py is gone {old}\n" in told.stderr


def test_what_is_edited_while_it_trains_has_changed_for_the_next_attempt(project):
    project.write("next_rates.py", "x = 2\n")
    project.attempt(1)
    project.attempt(2)
    assert [note.partition(" since")[0] for note in project.notes()] == ["rates.py has changed"]


def test_only_exact_means_none_of_it(project):
    project.attempt(1)
    project.write("late.py", "x = 2\n")
    assert project.attempt(2, exact_only=True).returncode == 4
    assert project.events(Failed)[0].error == (
        "--exact-only was given, and late.py has changed since attempt 1. Undo that, or start a "
        "new run: without --resume."
    )


def test_an_attempt_whose_training_is_not_gone_on_with_left_nothing_of_its_code(project):
    project.attempt(1)
    right = (project.folder / "train.py").read_text()
    project.write("train.py", right + "\n")
    project.attempt(2, stands_on=[])
    project.write("train.py", right)
    assert project.attempt(3, stands_on=[1], exact_only=True).returncode == 0
    assert project.notes() == []


def test_a_snapshot_that_does_not_say_so_may_stand_on_every_attempt(project):
    project.attempt(1)
    project.write("late.py", "x = 2\n")
    with contextlib.chdir(project.folder):
        sources = Sources(session_in(project.run, 2))
        sources.stand_on(None)
    assert [change.path.name for change in sources.list_changes()] == ["late.py"]
    assert sources.attempts == [1, 2]


def test_a_snapshot_that_is_of_another_model_is_left_again(project):
    project.attempt(1)
    sources = Sources(session_in(project.run, 2))
    sources.stand_on([1])
    sources.step_back()
    assert sources.attempts == [2]
