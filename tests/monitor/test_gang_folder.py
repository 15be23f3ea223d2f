"""The folder in which workers meet: what is written whole is read, and nothing else."""

import os
import time

import pytest

from fitguard.monitor.gang_folder import (
    GangFolder,
    list_gangs,
    name_worker,
    remove_deserted_gangs,
)
from fitguard.schema.gang import Called, Ended, GangPlan, Members, Ready, SavedPlace, Wanted

PLAN = GangPlan(name="night", workers=2, command=("train.py",), seed=5)


@pytest.fixture
def folder(tmp_path):
    found = GangFolder(tmp_path, "night")
    assert found.create_plan(PLAN)
    return found


def test_the_first_who_writes_the_plan_wins(folder):
    other = GangPlan(name="night", workers=3, command=("other.py",), seed=6)
    assert not folder.create_plan(other)
    assert folder.read_plan() == PLAN
    assert not list(folder.path.glob(".*"))


def test_what_is_there_is_for_its_owner_alone(folder):
    assert folder.path.stat().st_mode & 0o777 == 0o700
    assert folder.plan.stat().st_mode & 0o777 == 0o600


def test_a_round_tells_what_workers_told(folder):
    here = folder.open_round(1, 2, create=True)
    ready = Ready(worker=1, life="a", address="h:1", saved=(SavedPlace(1, 4),))
    ended, wanted = Ended(worker=0, outcome="killed"), Wanted(worker=1, want="leave")
    called = Called(place=SavedPlace(1, 9), leave=True, number=3)
    here.tell_ready(ready)
    here.tell_ended(ended)
    here.tell_lost(Ended(worker=0, outcome="lost"))
    here.tell_lost(Ended(worker=1, outcome="lost"))
    here.want(wanted)
    here.call(called)
    state = here.read()
    assert state.ready == {1: ready}
    assert state.ended == {0: ended, 1: Ended(worker=1, outcome="lost")}
    assert state.wanted == {1: wanted}
    assert state.called == called


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("ended-1.json", b""),
        ("ended-1.json", b"{"),
        ("ended-1.json", b'{"worker": 0, "outcome": "killed"}'),
        ("ended-7.json", b'{"worker": 7, "outcome": "killed"}'),
        ("ended-1.json", b"[" * 100_000),
        ("ended-1.json", b" " * (5 << 20)),
        ("call.json", b'{"place": 3}'),
        ("ended-x.json", b'{"worker": 1, "outcome": "killed"}'),
    ],
)
def test_what_is_not_whole_or_not_ours_is_not_there(folder, name, content):
    here = folder.open_round(1, 2, create=True)
    (here.path / name).write_bytes(content)
    state = here.read()
    assert not state.ended
    assert state.called is None


def test_links_and_fifos_are_not_followed(folder, tmp_path):
    here = folder.open_round(1, 2, create=True)
    (tmp_path / "elsewhere").write_bytes(b'{"worker": 1, "outcome": "killed"}')
    (here.path / "ended-1.json").symlink_to(tmp_path / "elsewhere")
    os.mkfifo(here.path / "ended-0.json")
    assert not here.read().ended


def test_the_newest_round_counts_and_old_ones_go(folder):
    assert folder.find_round() == 0
    for number in range(1, 6):
        folder.open_round(number, 2, create=True)
    assert folder.find_round() == 5
    names = sorted(path.name for path in folder.path.glob("round-*"))
    assert names == ["round-00003", "round-00004", "round-00005"]
    assert folder.open_round(1, 2).read().ready == {}


def test_gangs_are_listed_the_newest_first(tmp_path, folder):
    later = GangFolder(tmp_path, "later")
    later.create_plan(GangPlan(name="later", workers=2, command=("train.py",), seed=1))
    os.utime(folder.plan, (1.0, 1.0))
    (tmp_path / "broken-gang").mkdir()
    (tmp_path / "broken-gang" / "gang.json").write_text("{")
    assert [plan.name for _, plan in list_gangs(tmp_path)] == ["later", "night"]
    assert list_gangs(tmp_path / "nothing") == []


def test_a_gang_is_removed_when_it_is_old_and_has_no_runs(tmp_path, folder):
    remove_deserted_gangs(tmp_path)
    assert folder.path.exists()
    old = time.time() - 7200
    os.utime(folder.plan, (old, old))
    own = tmp_path / name_worker("night", 1)
    own.mkdir()
    remove_deserted_gangs(tmp_path)
    assert folder.path.exists()
    own.rmdir()
    remove_deserted_gangs(tmp_path)
    assert not folder.path.exists()


def test_the_first_who_says_who_trains_wins(folder):
    here = folder.open_round(1, 3, create=True)
    first = Members(workers=(0, 2), start=SavedPlace(1, 4), left_at={1: SavedPlace(1, 4)})
    here.settle(first)
    here.settle(Members(workers=(0, 1, 2)))
    assert here.read().members == here.read_members() == first
    assert not list(here.path.glob(".*"))


def test_who_does_not_train_in_a_round_ends_nothing(folder):
    here = folder.open_round(1, 3, create=True)
    here.tell_ended(Ended(worker=1, outcome="preempted"))
    here.want(Wanted(worker=1, want="leave"))
    assert here.read().ended.keys() == here.read().wanted.keys() == {1}
    here.settle(Members(workers=(0, 2)))
    assert here.read().ended == here.read().wanted == {}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b'{"workers": []}',
        b'{"workers": [0, 3]}',
        b'{"workers": [1, 0]}',
        b'{"workers": [0, 0]}',
        b'{"workers": [-1, 0]}',
    ],
)
def test_members_that_cannot_be_are_none(folder, content):
    here = folder.open_round(1, 3, create=True)
    (here.path / "members.json").write_bytes(content)
    assert here.read().members is None


def test_the_last_round_that_was_settled_stays(folder):
    for number in (1, 2):
        folder.open_round(number, 2, create=True).settle(Members(workers=(number - 1,)))
    for number in range(3, 9):
        folder.open_round(number, 2, create=True)
    assert sorted(path.name for path in folder.path.glob("round-*")) == [
        "round-00002",
        "round-00006",
        "round-00007",
        "round-00008",
    ]
    assert folder.find_members(9, 2) == Members(workers=(1,))
    assert folder.find_members(2, 2) is None
