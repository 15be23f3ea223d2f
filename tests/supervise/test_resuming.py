"""Runs that go on: which one is meant, and what is carried over."""

import contextlib
import re
import threading
from dataclasses import replace

import pytest
from programs import foreground_signals, wait_for
from supervise.parents import written
from supervise.plain_parent import plain_command

from fitguard.monitor.journal import Journal
from fitguard.monitor.run_folder import RunFolder
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.journal import AttemptStarted, RunStarted
from fitguard.supervise.guarding import Guarding, guard
from fitguard.supervise.lock import find_holder, locking_run
from fitguard.supervise.naming import RUN_ID, make_id
from fitguard.supervise.options import RunOptions
from fitguard.supervise.runs import find_runs

STOPS = """
import sys
for step in training.steps(10, seconds=0):
    if step == 4 and training.attempt == 1:
        training.save()
        sys.exit(5)
"""


@pytest.fixture
def setting(tmp_path):
    with contextlib.chdir(tmp_path):
        yield Setting(tmp_path)


class Setting:
    """Runs in this process, with what was said."""

    def __init__(self, folder):
        self.folder = folder
        self.options = RunOptions(runs_folder=folder / "runs")
        self.said = []

    def run(self, text, *arguments, command=True, **options):
        words = plain_command(written(self.folder, text), *arguments) if command else None
        return guard(words, replace(self.options, **options), say=self.said.append)


def test_a_run_that_stopped_is_resumed_by_its_id(setting):
    first = setting.run(STOPS)
    assert (first.exit_code, first.run.state) == (5, "stopped")
    second = setting.run(STOPS, resume=first.folder.id)
    assert (second.exit_code, second.run.state) == (0, "finished")
    assert second.folder == first.folder
    assert [attempt.number for attempt in second.run.attempts] == [1, 2]
    assert second.run.attempts[1].first.total_steps == 4
    starts = [
        event for event in Journal(first.folder.journal).read() if isinstance(event, RunStarted)
    ]
    assert [start.resumed for start in starts] == [False, True]
    assert starts[0].seed == starts[1].seed


def test_the_newest_of_the_same_command_is_resumed(setting):
    wanted = setting.run(STOPS, "--lr", "1")
    setting.run(STOPS, "--lr", "2")
    assert setting.run(STOPS, "--lr", "1", resume="").folder == wanted.folder


def test_a_second_start_is_a_new_run_and_says_how_to_resume(setting):
    first = setting.run(STOPS)
    setting.said.clear()
    second = setting.run(STOPS)
    assert second.folder != first.folder
    assert f"fitguard run --resume {first.folder.id}" in setting.said[0]


def test_a_finished_run_is_not_resumed(setting):
    done = setting.run("pass")
    with pytest.raises(UsageError, match="which is finished"):
        setting.run("pass", resume=done.folder.id)
    with pytest.raises(UsageError, match="no unfinished run"):
        setting.run("pass", resume="")


def test_another_command_is_not_the_same_run(setting):
    first = setting.run(STOPS)
    with pytest.raises(UsageError, match="was started with"):
        setting.run(STOPS, "--lr", "1", resume=first.folder.id)


def test_another_folder_is_not_the_same_run(setting, tmp_path):
    first = setting.run(STOPS)
    (tmp_path / "other").mkdir()
    with contextlib.chdir(tmp_path / "other"), pytest.raises(UsageError, match="was started in"):
        setting.run(STOPS, resume=first.folder.id)


def test_an_unknown_id_is_answered_with_known_ones(setting):
    first = setting.run(STOPS)
    with pytest.raises(UsageError, match=f"Expected one of: {first.folder.id}"):
        setting.run(STOPS, resume="20200101-000000-train-0000")


def test_no_command_needs_a_run_to_take_it_from(setting):
    with pytest.raises(UsageError, match="Received no command"):
        setting.run("", command=False)


def test_two_parents_cannot_guard_one_run(setting):
    first = setting.run(STOPS)
    with locking_run(first.folder):
        assert find_holder(first.folder) is not None
        with pytest.raises(UsageError, match="guards now"):
            setting.run(STOPS, resume=first.folder.id)
    assert find_holder(first.folder) is None


def test_orders_are_carried_over_and_the_users_wish_wins(setting):
    first = setting.run(STOPS, micro_batch=16)
    second = setting.run(STOPS, resume=first.folder.id, micro_batch=8, exact_only=True)
    orders = [
        event.orders
        for event in Journal(second.folder.journal).read()
        if isinstance(event, AttemptStarted)
    ]
    assert [order.micro_batches for order in orders] == [{"0": 16}, {"0": 8}]
    assert [order.attempt for order in orders] == [1, 2]
    assert orders[1].exact_only


def test_ids_are_readable_and_sorted_by_time(setting):
    command = plain_command(setting.folder / "my train.v2.py")
    one, other = make_id(command, 1_794_700_000), make_id(command, 1_794_700_001)
    assert one < other
    assert RUN_ID.fullmatch(one)
    assert re.search(r"-my_train_v2-[0-9a-f]{4}$", one)


def test_folders_that_are_no_runs_are_passed_over(setting):
    runs = setting.options.runs_folder
    (runs / "20261115-142500-train-4f2a").mkdir(parents=True)
    (runs / "notes").mkdir()
    torn = RunFolder(runs / "20261115-142501-train-4f2a")
    torn.path.mkdir()
    torn.journal.write_bytes(b'{"event":"run-sta')
    assert list(find_runs(runs)) == []


@contextlib.contextmanager
def in_another_thread(guarding):
    """Where its result will be; the training has ended when this has."""
    results = []
    thread = threading.Thread(target=lambda: results.append(guarding.run()))
    thread.start()
    try:
        yield results
    finally:
        guarding.cancel("kill")
        thread.join()


def test_a_run_in_another_thread_is_cancelled(setting):
    script = written(setting.folder, "import time\nprint('begun', flush=True)\ntime.sleep(60)")
    log = (setting.folder / "out").open("wb")
    guarding = Guarding(
        plain_command(script),
        setting.options,
        say=setting.said.append,
        stdout=log.fileno(),
        stderr=log.fileno(),
    )
    with log, foreground_signals(), in_another_thread(guarding) as results:
        wait_for(lambda: "begun" in (setting.folder / "out").read_text())
        guarding.cancel()
        wait_for(lambda: results)
    assert (results[0].exit_code, results[0].run.state) == (130, "interrupted")


def test_a_run_in_another_thread_leaves_with_a_snapshot(setting):
    guarding = Guarding(
        plain_command(written(setting.folder, "for step in training.steps(5000): pass")),
        setting.options,
        say=setting.said.append,
    )
    with in_another_thread(guarding) as results:
        guarding.cancel("leave")
        wait_for(lambda: results)
    assert (results[0].exit_code, results[0].run.state) == (75, "preempted")
    assert results[0].run.snapshots.count == 1
