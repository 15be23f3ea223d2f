"""Runs from a notebook: started, or gone on with, by their name."""

import contextlib

import pytest
from supervise.test_resuming import STOPS, Setting

from fitguard.notebook.starting import run_options
from fitguard.schema.exit_codes import UsageError


@pytest.fixture
def setting(tmp_path):
    with contextlib.chdir(tmp_path):
        yield Setting(tmp_path)


def test_auto_is_a_new_run_where_there_is_none_and_that_run_where_there_is_one(setting):
    wanted = {"runs_folder": setting.options.runs_folder, "name": "n", "resume": "auto"}
    assert run_options(**wanted).resume is None
    setting.run(STOPS, name="n")
    assert run_options(**wanted).resume == "n"
    setting.run(STOPS, resume="n")
    with pytest.raises(UsageError, match="the run n is finished"):
        run_options(**wanted)


def test_auto_needs_a_name(tmp_path):
    with pytest.raises(UsageError, match='Received resume="auto" without a name'):
        run_options(runs_folder=tmp_path, resume="auto")


def test_only_what_there_is_can_be_allowed(tmp_path):
    allowed = ("batch-statistics", "jit-off")
    assert run_options(runs_folder=tmp_path, allow=allowed).allow == allowed
    with pytest.raises(UsageError, match=r"Received 'magic' .* Expected batch-statistics, jit-off"):
        run_options(runs_folder=tmp_path, allow=("jit-off", "magic"))
