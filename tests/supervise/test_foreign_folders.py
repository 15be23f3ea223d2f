"""Run folders that somebody else wrote in: nothing of them is obeyed, followed or waited for."""

import contextlib
import json
import os
from dataclasses import replace

import pytest
from cli.process import fitguard
from supervise.parents import written
from supervise.plain_parent import plain_command

from fitguard.schema.exit_codes import UnreadableInput
from fitguard.supervise.guarding import guard
from fitguard.supervise.options import RunOptions

STOPS = """
import os, sys
print(os.environ.get("PYTHONPATH"), os.environ.get("TF_GPU_ALLOCATOR"), flush=True)
for step in training.steps(10, seconds=0):
    if step == 4 and training.attempt == 1:
        training.save()
        sys.exit(5)
"""
CHILD_MAKES = ("snapshots", "stacks.txt")
NAMES = ("report.html", "lock", "flight/parent.record", "output.log", "output.1.log")


@pytest.fixture
def setting(tmp_path, monkeypatch):
    monkeypatch.delenv("PYTHONPATH", raising=False)
    with contextlib.chdir(tmp_path):
        yield Setting(tmp_path)


class Setting:
    """A run that stopped, and a file outside of it."""

    def __init__(self, folder):
        self.said = []
        self.mine = folder / "mine"
        self.mine.write_text("mine")
        self.command = plain_command(written(folder, STOPS))
        self.options = RunOptions(runs_folder=folder / "runs")
        self.run = self.guard().folder

    def guard(self, **options):
        return guard(self.command, replace(self.options, **options), say=self.said.append)

    def put(self, make, *names):
        for name in names:
            (self.run.path / name).unlink(missing_ok=True)
            make(self.run.path / name)

    def link(self, *names, target=None):
        self.put(lambda path: path.symlink_to(target or self.mine), *names)


def test_links_are_not_followed(setting):
    setting.link(*NAMES)
    assert fitguard("report", "--runs", "runs").returncode == 0
    page = setting.run.report
    assert page.read_text().startswith("<!DOCTYPE html>")
    assert not page.is_symlink()
    with pytest.raises(UnreadableInput, match="lock: it is a link or a device"):
        setting.guard(resume=setting.run.id)
    setting.run.lock.unlink()
    assert setting.guard(resume=setting.run.id).exit_code == 0
    assert setting.mine.read_text() == "mine"


def test_nothing_is_waited_for_and_no_device_is_read(setting):
    setting.put(os.mkfifo, "lock", "output.log", "report.html")
    setting.link("flight/parent.record", "output.1.log", target="/dev/zero")
    for words in (("report", setting.run.path), ("runs", "--runs", "runs")):
        assert fitguard(*words).returncode == 0
    assert fitguard("explain", setting.run.path).returncode == 0
    setting.run.lock.unlink()
    assert setting.guard(resume=setting.run.id).exit_code == 0


def test_a_bad_folder_does_not_hide_the_others(setting):
    for number, make in enumerate((os.mkfifo, lambda path: path.symlink_to("/dev/zero"))):
        bad = setting.run.path.with_name(f"20300101-00000{number}-bad-0000")
        bad.mkdir()
        make(bad / "journal.jsonl")
    linked = setting.run.path.with_name("20300101-000002-bad-0000")
    linked.mkdir()
    (linked / "journal.jsonl").symlink_to(setting.run.journal)
    open_to_all = setting.run.path.with_name("20300101-000003-bad-0000")
    open_to_all.mkdir()
    open_to_all.chmod(0o777)
    (open_to_all / "journal.jsonl").write_bytes(setting.run.journal.read_bytes())
    listed = json.loads(fitguard("runs", "--runs", "runs", "--format", "json").stdout)
    assert [run["id"] for run in listed["runs"]] == [setting.run.id]
    assert "regular file" in listed["unreadable"][0]
    assert "everybody may write to it" in listed["unreadable"][1]
    trusting = fitguard("runs", "--runs", "runs", "--format", "json", "--trust-folder")
    assert len(json.loads(trusting.stdout)["runs"]) == 2


def test_a_run_that_others_may_write_to_does_not_go_on(setting):
    setting.run.path.chmod(0o777)
    with pytest.raises(UnreadableInput, match="everybody may write to it"):
        setting.guard(resume=setting.run.id)
    refused = fitguard("report", "--runs", "runs")
    assert refused.returncode == 5
    assert "--trust-folder" in refused.stderr
    path = str(setting.run.path)
    assert fitguard("explain", path).returncode == 5
    assert fitguard("explain", path, "--trust-folder").returncode == 0
    assert setting.guard(resume=setting.run.id, trust_folder=True).exit_code == 0


def test_a_folder_of_runs_that_others_may_write_to_takes_none(setting):
    setting.options.runs_folder.chmod(0o777)
    with pytest.raises(UnreadableInput, match="They could put another run in the place of yours"):
        setting.guard()
    assert setting.guard(trust_folder=True).exit_code == 5


def test_orders_set_no_variables_but_those_of_remedies(setting, capfd):
    orders = json.loads(setting.run.orders.read_bytes())
    orders["environment"] = {"PYTHONPATH": "/evil", "TF_GPU_ALLOCATOR": "cuda_malloc_async"}
    setting.run.orders.write_text(json.dumps(orders))
    capfd.readouterr()
    assert setting.guard(resume=setting.run.id).exit_code == 0
    assert capfd.readouterr().out == "None cuda_malloc_async\n"
    assert any(
        "sets PYTHONPATH, which fitguard never writes there" in text for text in setting.said
    )


def test_all_that_a_run_leaves_is_for_its_owner_alone(setting):
    # What the training makes is not looked at: `plain_child.py` stands for it.
    made = [path for path in setting.run.path.iterdir() if path.name not in CHILD_MAKES]
    folders = [setting.run.path, *(path for path in made if path.is_dir())]
    assert {path.stat().st_mode & 0o777 for path in folders} == {0o700}
    made += [path for folder in folders[1:] for path in folder.iterdir()]
    made = [path for path in made if path.is_file()]
    assert {path.name: oct(path.stat().st_mode & 0o777) for path in made} == {
        path.name: oct(0o600) for path in made
    }
