"""What parent and child of a gang tell each other through the shared numbers."""

import os
import random
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from fitguard.monitor.beats import Call, Phase
from fitguard.monitor.heartbeat import Heartbeat, OwnHeartbeat, read_beat
from fitguard.schema.gang import SavedPlace

FAR = 1 << 40


@pytest.fixture
def path(tmp_path: Path) -> Path:
    Heartbeat(tmp_path / "heartbeat", create=True).close()
    return tmp_path / "heartbeat"


def test_nothing_is_called_at_first(path: Path) -> None:
    own = OwnHeartbeat(path)

    assert own.read_call() is None
    assert own.read_complete() is None
    assert Heartbeat(path).read().asks_call == 0


def test_a_call_reaches_the_child_and_a_later_one_takes_its_place(path: Path) -> None:
    parent, own = Heartbeat(path), OwnHeartbeat(path)

    parent.call(SavedPlace(2, 40))
    assert own.read_call() == Call(SavedPlace(2, 40))
    parent.call(SavedPlace(2, FAR), leave=True)
    assert own.read_call() == Call(SavedPlace(2, FAR), leave=True)


def test_the_newest_complete_set_reaches_the_child_and_can_be_taken_back(path: Path) -> None:
    parent, own = Heartbeat(path), OwnHeartbeat(path)

    parent.note_complete(SavedPlace(1, end=True))
    assert own.read_complete() == SavedPlace(1, end=True)
    parent.note_complete(None)
    assert own.read_complete() is None


def test_what_the_child_asks_for_counts_up_and_stays_with_each_beat(path: Path) -> None:
    parent, own = Heartbeat(path), OwnHeartbeat(path)

    own.ask_call()
    assert parent.read().asks_call == 1
    own.beat("training", 1, 2, 3, 4)
    own.ask_call()

    beat = parent.read()
    assert beat.asks_call == 2
    assert beat.place.total_steps == 4
    assert read_beat(path) == beat


def test_steps_before_a_restart_are_not_of_this_process(path: Path) -> None:
    own, parent = OwnHeartbeat(path), Heartbeat(path)

    def beat(phase: Phase, fit: int, steps: int) -> int:
        own.beat(phase, fit, 0, steps, steps)
        return parent.read().steps_here

    assert beat("training", 1, 500) == 0
    assert beat("training", 1, 502) == 2
    assert beat("evaluating", 1, 502) == 2
    assert beat("training", 2, 0) == 0
    assert beat("training", 2, 1) == 1


def test_a_call_leaves_wishes_and_beats_alone(path: Path) -> None:
    parent, own = Heartbeat(path), OwnHeartbeat(path)
    own.beat("training", 1, 2, 3, 4)
    parent.wish("leave")

    parent.call(SavedPlace(FAR, FAR, True), leave=True)
    parent.note_complete(SavedPlace(FAR, FAR))

    assert own.read_wish() == "leave"
    assert not own.take_profile_wish()
    assert parent.read().place.total_steps == 4


@pytest.mark.parametrize("length", [1, 8, 9, 15, 17, 18, 21])
def test_a_call_that_is_half_written_is_not_read(path: Path, length: int) -> None:
    parent, own = Heartbeat(path), OwnHeartbeat(path)
    parent.call(SavedPlace(1, 10))
    before = path.read_bytes()
    assert own.read_call() == Call(SavedPlace(1, 10))
    parent.call(SavedPlace(2, 777_777_777_777), leave=True)
    after = path.read_bytes()
    at = next(n for n, (old, new) in enumerate(zip(before, after, strict=True)) if old != new)

    with path.open("r+b") as file:
        file.write(after[: at + length] + before[at + length :])

    assert own.read_call() == Call(SavedPlace(1, 10))
    assert OwnHeartbeat(path).read_call() is None
    with path.open("r+b") as file:
        file.write(after)
    assert own.read_call() == Call(SavedPlace(2, 777_777_777_777), leave=True)


def test_no_mixture_of_two_calls_is_ever_read(path: Path) -> None:
    parent, own = Heartbeat(path), OwnHeartbeat(path)
    numbers = [random.Random(5).randrange(1, FAR) for _ in range(50)]
    over = threading.Event()

    def write() -> None:
        for _ in range(100):
            for number in numbers:
                parent.call(SavedPlace(number, number, bool(number % 2)), leave=bool(number % 2))
        over.set()

    thread = threading.Thread(target=write)
    thread.start()
    while not over.is_set():
        call = own.read_call()
        if call is not None:
            number = call.place.fit
            assert call == Call(SavedPlace(number, number, bool(number % 2)), bool(number % 2))
    thread.join()
    last = numbers[-1]
    assert own.read_call() == Call(SavedPlace(last, last, bool(last % 2)), bool(last % 2))


def test_a_file_that_was_cut_short_kills_nobody(path: Path) -> None:
    parent, own = Heartbeat(path), OwnHeartbeat(path)
    parent.call(SavedPlace(1, 10))
    assert own.read_call() == Call(SavedPlace(1, 10))

    path.write_bytes(b"")

    own.ask_call()
    assert own.read_call() == Call(SavedPlace(1, 10))
    assert own.read_complete() is None


def test_an_end_is_further_on_than_all_steps_of_its_fit() -> None:
    places = [SavedPlace(2, 3), SavedPlace(1, end=True), SavedPlace(1, 900), SavedPlace(2, 40)]

    assert sorted(places) == [
        SavedPlace(1, 900),
        SavedPlace(1, end=True),
        SavedPlace(2, 3),
        SavedPlace(2, 40),
    ]
    assert SavedPlace(1, end=True) > SavedPlace(1, 900)
    assert SavedPlace(2, 3) >= SavedPlace(2, 3)
    assert max(places) == SavedPlace(2, 40)


@pytest.fixture
def shared(tmp_path: Path) -> Iterator[Heartbeat]:
    """As the parent has it while its child runs."""
    heartbeat = Heartbeat(tmp_path / "heartbeat", create=True)
    yield heartbeat
    heartbeat.close()


def test_what_is_shared_outlives_a_file_that_was_cut_short(
    tmp_path: Path, shared: Heartbeat
) -> None:
    own = OwnHeartbeat(tmp_path / "heartbeat")

    os.truncate(tmp_path / "heartbeat", 0)
    own.beat("training", 1, 2, 3, 4)
    shared.call(SavedPlace(1, 10))
    shared.wish("leave")

    assert shared.read().place.total_steps == 4
    assert own.read_call() == Call(SavedPlace(1, 10))
    assert own.read_wish() == "leave"


def test_a_step_asks_nothing_of_the_file_system(tmp_path: Path, shared: Heartbeat) -> None:
    own = OwnHeartbeat(tmp_path / "heartbeat")
    (tmp_path / "heartbeat").rename(tmp_path / "elsewhere")
    (tmp_path / "heartbeat").touch()

    own.beat("training", 1, 2, 3, 4)
    shared.wish("snapshot")

    assert shared.read().count == 1
    assert own.read_wish() == "snapshot"


def test_who_has_only_the_file_sees_what_the_parent_has_read(
    tmp_path: Path, shared: Heartbeat
) -> None:
    own = OwnHeartbeat(tmp_path / "heartbeat")
    own.beat("training", 1, 2, 3, 4)
    before = read_beat(tmp_path / "heartbeat")

    beat = shared.read()

    assert before is not None
    assert before.count == 0
    assert read_beat(tmp_path / "heartbeat") == beat


def test_another_one_who_opens_it_sees_and_wishes_the_same(
    tmp_path: Path, shared: Heartbeat
) -> None:
    own, other = OwnHeartbeat(tmp_path / "heartbeat"), Heartbeat(tmp_path / "heartbeat")
    own.beat("training", 1, 2, 3, 4)

    other.wish_profile()

    assert other.read() == shared.read()
    assert own.take_profile_wish()
    assert not own.take_profile_wish()


def test_a_child_that_knows_only_the_file_is_heard(tmp_path: Path, shared: Heartbeat) -> None:
    with (tmp_path / "heartbeat").open("r+b") as file:
        file.write((7).to_bytes(8, "little"))
    shared.wish("leave")

    assert shared.read().count == 7
    assert shared.read_wish() == "leave"
    assert (tmp_path / "heartbeat").read_bytes()[256] == 2


def test_what_was_wished_before_the_child_looked_is_there(
    tmp_path: Path, shared: Heartbeat
) -> None:
    shared.wish("leave")

    assert OwnHeartbeat(tmp_path / "heartbeat").read_wish() == "leave"
