"""One command line for the first start and for every one after it."""

import contextlib
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from supervise.parents import written
from supervise.plain_parent import plain_command
from supervise.test_resuming import STOPS, Setting

from fitguard.monitor.run_folder import RunFolder
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.journal import RunStarted
from fitguard.supervise.choosing import AlreadyFinished
from fitguard.supervise.guarding import guard
from fitguard.supervise.lock import locking_run
from fitguard.supervise.naming import require_name
from fitguard.supervise.runs import KnownRun, find_runs


@pytest.fixture
def setting(tmp_path):
    with contextlib.chdir(tmp_path):
        yield Setting(tmp_path)


def test_auto_starts_where_there_is_nothing_and_goes_on_where_there_is_something(setting):
    first = setting.run(STOPS, resume="auto")
    assert (first.exit_code, len(first.run.attempts)) == (5, 1)
    assert f"a new run, {first.folder.id}." in setting.said
    second = setting.run(STOPS, resume="auto")
    assert (second.exit_code, second.folder) == (0, first.folder)
    assert f"continues the run {first.folder.id}." in setting.said


def test_auto_begins_anew_where_the_newest_is_finished(setting):
    first = setting.run("pass", resume="auto")
    assert setting.run("pass", resume="auto").folder != first.folder


def test_auto_does_not_start_beside_a_run_that_is_guarded(setting):
    first = setting.run(STOPS)
    with locking_run(first.folder), pytest.raises(UsageError, match="guards now"):
        setting.run(STOPS, resume="auto")


def test_a_name_is_that_of_the_folder_and_of_the_run(setting):
    first = setting.run(STOPS, name="night-1")
    assert (first.folder.path, first.run.id) == (setting.options.runs_folder / "night-1", "night-1")
    assert setting.run(STOPS, resume="night-1").exit_code == 0


def test_a_named_run_starts_goes_on_and_is_done(setting):
    wanted = {"name": "night-1", "resume": "auto"}
    assert setting.run(STOPS, **wanted).exit_code == 5
    assert setting.run(STOPS, **wanted).exit_code == 0
    with pytest.raises(AlreadyFinished, match="the run night-1 is finished"):
        setting.run(STOPS, **wanted)


def test_what_another_version_of_the_script_left_can_be_gone_on_with(setting):
    wanted = {"name": "night-1", "resume": "auto"}
    setting.run("pass", name="other")
    with pytest.raises(UsageError, match="which is finished"):
        setting.run("pass", resume="other")
    first = setting.run(STOPS, **wanted)
    (first.folder.snapshots / "aside" / "fit00001-after-0000000000-0000000001").mkdir(parents=True)
    assert setting.run(STOPS, **wanted).exit_code == 0
    assert "another version of the script are kept, and to go on with them" in setting.said[-1]
    with pytest.raises(AlreadyFinished, match="to go on with them: fitguard run --resume night-1"):
        setting.run(STOPS, **wanted)
    assert len(setting.run(STOPS, resume="night-1").run.attempts) == 3


@pytest.mark.parametrize(("text", "how"), [("pass", "is finished"), (STOPS, "is not finished")])
def test_a_name_that_is_taken_is_refused(setting, text, how):
    setting.run(text, name="night-1")
    with pytest.raises(UsageError, match=f"a run of this name, which {how}"):
        setting.run(text, name="night-1")


def test_a_name_of_a_running_one_is_refused(setting):
    first = setting.run(STOPS, name="night-1")
    with locking_run(first.folder):
        with pytest.raises(UsageError, match="which is running"):
            setting.run(STOPS, name="night-1")
        with pytest.raises(UsageError, match="guards now"):
            setting.run(STOPS, name="night-1", resume="auto")


def test_a_named_folder_without_a_whole_journal_is_begun(setting):
    folder = RunFolder(setting.options.runs_folder / "night-1")
    folder.path.mkdir(parents=True)
    folder.journal.write_bytes(b'{"event":"run-sta')
    assert setting.run(STOPS, name="night-1", resume="auto").exit_code == 5
    assert setting.run(STOPS, name="night-1", resume="auto").exit_code == 0


@pytest.mark.parametrize("resume", ["auto", None])
def test_snapshots_whose_run_is_unknown_are_not_gone_on_with(setting, resume):
    folder = setting.run(STOPS, name="night-1").folder
    (folder.snapshots / "fit00001-end-0000000001.snapshot").write_bytes(b"")
    first, rest = folder.journal.read_bytes().split(b"\n", 1)
    folder.journal.write_bytes(first[:-9] + b"\n" + rest)
    with pytest.raises(UsageError, match="holds snapshots, and the beginning of the journal"):
        setting.run(STOPS, name="night-1", resume=resume)


def test_a_folder_whose_name_no_journal_can_hold(setting, tmp_path):
    odd = Path(os.fsdecode(os.fsencode(tmp_path) + b"/odd\xff"))
    odd.mkdir()
    with contextlib.chdir(odd), pytest.raises(UsageError, match=r"odd\\xff' as the working dir"):
        setting.run(STOPS)
    assert not setting.options.runs_folder.exists()


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "-x", "a b", "a" * 65, "ä", "last", "x.py"])
def test_bad_names(name):
    with pytest.raises(UsageError, match="Received --name"):
        require_name(name)


def test_named_runs_and_others_are_sorted_by_time(setting):
    started = [setting.run("pass", name=name).folder for name in ("z", None, "a")]
    found = [run.folder for run in find_runs(setting.options.runs_folder)]
    assert found == started[::-1]


@pytest.mark.parametrize(("part", "goes_on"), [("project", True), ("other", False)])
def test_a_folder_that_ray_has_copied_again_goes_on(tmp_path, part, goes_on):
    """As each `ray job submit --working-dir` of changed files does."""
    copies = tmp_path / "runtime_resources/working_dir_files"
    before, place = copies / "_ray_pkg_0a/project", copies / "_ray_pkg_0b" / part
    for folder in (before, place):
        folder.mkdir(parents=True)
    started = RunStarted(time=0, id="n", command=("train.py",), working_directory=str(before))
    run = KnownRun(RunFolder(tmp_path / "shared/n"), started, "preempted")
    assert run.belongs_to(place) == goes_on


def test_a_folder_that_was_moved_goes_on(tmp_path):
    old, new = tmp_path / "old", tmp_path / "new"
    old.mkdir()
    with contextlib.chdir(old):
        assert _run_here(Setting(old), name="n").exit_code == 5
    shutil.move(old, new)
    with contextlib.chdir(new):
        moved = Setting(new)
        assert _run_here(moved, name="n", resume="auto").exit_code == 0
    assert moved.said[0] == f"continues the run n, which was started in {old}."


def test_a_copy_beside_the_original_goes_on(tmp_path):
    old, new = tmp_path / "old", tmp_path / "new"
    old.mkdir()
    with contextlib.chdir(old):
        _run_here(Setting(old))
    shutil.copytree(old, new, copy_function=shutil.copy)
    for place in (new, old):
        with contextlib.chdir(place):
            assert _run_here(Setting(place), resume="").exit_code == 0


def _run_here(setting, **options):
    """With a command that names its script from the current folder."""
    written(setting.folder, STOPS)
    command = plain_command(Path("train.py"))
    return guard(command, replace(setting.options, **options), say=setting.said.append)
