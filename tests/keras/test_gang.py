"""Where a worker takes its snapshots, what it asks for, and what it goes on from."""

from pathlib import Path
from typing import Any

import pytest
from guarded.one_worker import Worker

from fitguard.keras import gang as gang_module
from fitguard.keras.gang import Gang
from fitguard.keras.snapshots.content import Content
from fitguard.schema.gang import GangOrders, SavedPlace
from fitguard.schema.journal import LOST_START, REPLACE_ME, UNGUARDED, Failed, Noted
from fitguard.schema.run import Place


class Left(BaseException):
    """Stands for the end of the process."""


@pytest.fixture(autouse=True)
def leaving(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The process does not end: its code is noted."""
    codes: list[int] = []

    def leave(code: int) -> None:
        codes.append(code)
        raise Left

    monkeypatch.setattr(gang_module, "leave", leave)
    return codes


def test_a_snapshot_is_taken_where_it_was_called_and_nowhere_else(tmp_path: Path) -> None:
    worker = Worker(tmp_path)
    assert worker.find_due(0, 1, 2, wanted=True) == []

    worker.guard.call(SavedPlace(1, 5))

    assert worker.find_due(3, 4, 5, 6, 7, wanted=True) == [5]


def test_who_is_past_it_takes_none(tmp_path: Path) -> None:
    worker = Worker(tmp_path)
    worker.find_due(0, 1, 2, 3, 4, 5, 6)

    worker.guard.call(SavedPlace(1, 5))

    assert worker.find_due(7, 8) == []


def test_one_who_hears_of_it_in_the_last_moment_takes_it_at_the_same_place(tmp_path: Path) -> None:
    worker = Worker(tmp_path)
    worker.find_due(0, 4)

    worker.guard.call(SavedPlace(1, 5))

    assert worker.find_due(8, 12) == [8], "four steps at once: the first place behind step 5"


def test_the_first_place_of_a_process_is_none(tmp_path: Path) -> None:
    worker = Worker(tmp_path)
    worker.guard.call(SavedPlace(1, 5))

    assert worker.find_due(5, 6) == []


def test_a_place_is_the_same_at_the_end_of_an_epoch_and_at_the_beginning_of_the_next(
    tmp_path: Path,
) -> None:
    worker = Worker(tmp_path)
    worker.guard.call(SavedPlace(1, 5))

    assert worker.find_due(4, 5, 5, 6) == [5, 5]


def test_a_call_for_another_fit_is_none_for_this_one(tmp_path: Path) -> None:
    worker = Worker(tmp_path)
    worker.guard.call(SavedPlace(2, 5))
    assert worker.find_due(4, 5, 6) == []

    worker.save(1, end=True)

    assert worker.find_due(4, 5, 6, fit=2) == [5]


def test_only_worker_0_asks_when_it_is_time_and_once(tmp_path: Path) -> None:
    asking, other = Worker(tmp_path / "0", 0), Worker(tmp_path / "1", 1)

    asking.find_due(1, 2, 3, wanted=True)
    other.find_due(1, 2, 3, wanted=True)

    assert asking.guard.read().asks_call == 1
    assert other.guard.read().asks_call == 0


def test_it_asks_again_when_nobody_answers_or_when_the_call_was_for_earlier(tmp_path: Path) -> None:
    worker = Worker(tmp_path)
    worker.find_due(1, wanted=True)
    worker.now += 6
    worker.find_due(2, wanted=True)
    assert worker.guard.read().asks_call == 2

    worker.guard.call(SavedPlace(1, 5))
    worker.now += 60
    worker.find_due(3, 4, wanted=True)
    assert worker.guard.read().asks_call == 2, "it is ahead"

    worker.find_due(5, 6, wanted=True)
    assert worker.guard.read().asks_call == 3


def test_it_asks_seldom_while_the_others_save_nothing_and_says_so(tmp_path: Path) -> None:
    worker = Worker(tmp_path)
    for steps in (10, 20, 30, 40):
        worker.save(1, steps)
    worker.find_due(41, wanted=True)
    worker.guard.call(SavedPlace(1, 42))
    worker.now += 30
    assert worker.find_due(42, 43, 44, wanted=True) == [42]
    assert worker.guard.read().asks_call == 1
    assert "have not saved the last 4 snapshots" in worker.events(Noted)[0].text

    worker.now += 31
    worker.find_due(45, wanted=True)

    assert worker.guard.read().asks_call == 2


def test_a_wish_for_a_snapshot_becomes_a_question_and_is_fulfilled_by_the_call(
    tmp_path: Path,
) -> None:
    worker = Worker(tmp_path, 1)
    worker.guard.wish("snapshot")
    assert [worker.come_to(1), worker.come_to(2)] == ["none", "none"]
    assert worker.guard.read().asks_call == 1
    assert worker.guard.read_wish() == "snapshot"

    worker.guard.call(SavedPlace(1, 3))

    assert worker.find_due(3) == [3]
    assert worker.guard.read_wish() == "none"


def test_a_wish_to_leave_stays_one_and_is_not_fulfilled_by_a_call(tmp_path: Path) -> None:
    worker = Worker(tmp_path, 1)
    worker.guard.wish("leave")
    worker.guard.call(SavedPlace(1, 3))

    assert worker.come_to(1) == "leave"
    assert worker.find_due(2, 3) == [3]
    assert worker.guard.read_wish() == "leave"


def test_a_call_to_leave_is_heeded_at_its_place_only(tmp_path: Path) -> None:
    worker = Worker(tmp_path, 1)
    worker.guard.call(SavedPlace(1, 3), leave=True)

    assert [worker.come_to(steps) for steps in (1, 2, 3, 4)] == ["none", "none", "leave", "none"]


def test_a_call_to_leave_behind_the_last_step_is_heeded_at_the_end(tmp_path: Path) -> None:
    worker = Worker(tmp_path)
    worker.guard.call(SavedPlace(1, 9), leave=True)
    worker.find_due(7, 8)
    assert worker.gang.is_leaving(1)
    assert not worker.gang.is_leaving(2)

    worker.find_due(9, 10)

    assert not worker.gang.is_leaving(1), "it is past it"


def test_nothing_is_kept_of_a_training_that_cannot_be_come_back_to(tmp_path: Path) -> None:
    worker = Worker(tmp_path)
    worker.guard.call(SavedPlace(2, 5))

    assert worker.find_due(4, 5, fit=2) == []
    assert worker.events(Noted)[0].kind == UNGUARDED


def test_a_training_inside_of_another_is_said_not_to_be_kept(tmp_path: Path) -> None:
    worker = Worker(tmp_path)
    worker.gang.call_begins(1)
    worker.gang.call_ends(1)
    worker.gang.call_begins(2)
    assert worker.events(Noted) == []

    worker.gang.call_begins(3)

    said = worker.events(Noted)
    assert [one.kind for one in said] == [UNGUARDED]
    assert "training 2 has not come to its end" in said[0].text


class TestStart:
    """What lies on the disk: the end of fit 1, fit 2 at 40 and 60, its end, fit 3 at 5."""

    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        writer = Worker(tmp_path)
        writer.save(1, 30, end=True)
        writer.save(2, 40)
        writer.save(2, 60)
        writer.save(2, 80, end=True)
        writer.save(3, 5)
        return tmp_path

    def read_marks(self, worker: Worker) -> list[Any]:
        found = [worker.gang.find_saved(fit, lambda _: "") for fit in (1, 2, 3)]
        return [one and one.document["mark"] for one in found]

    def list_aside(self, worker: Worker) -> list[str]:
        aside = worker.session.folder.snapshots / "aside"
        return sorted(path.name.partition("-0")[0] for path in aside.glob("beyond-*/*"))

    def test_in_the_middle_of_a_fit(self, folder: Path) -> None:
        worker = Worker(folder, start=SavedPlace(2, 40))

        assert self.read_marks(worker) == [[1, 30, True], [2, 40, False], None]
        assert worker.store.list_places() == [SavedPlace(2, 40), SavedPlace(1, end=True)]
        assert self.list_aside(worker) == []

    def test_at_the_end_of_a_fit_later_ones_begin_anew_and_nothing_is_lost(
        self, folder: Path
    ) -> None:
        worker = Worker(folder, start=SavedPlace(1, end=True))

        assert self.read_marks(worker) == [[1, 30, True], None, None]
        assert self.list_aside(worker) == [
            "fit00002-end",
            "fit00002-step00000000040",
            "fit00002-step00000000060",
            "fit00003-step00000000005",
        ]

    def test_none_begins_all_anew_and_nothing_is_lost(self, folder: Path) -> None:
        worker = Worker(folder, start=None)

        assert self.read_marks(worker) == [None, None, None]
        assert worker.store.list_places() == []
        assert len(self.list_aside(worker)) == 5

    def test_what_was_put_aside_never_comes_back_by_itself(self, folder: Path) -> None:
        Worker(folder, start=None)

        worker = Worker(folder, start=None)

        assert self.read_marks(worker) == [None, None, None]
        assert worker.store.list_places() == []

    @pytest.mark.parametrize("start", [SavedPlace(2, 40), SavedPlace(1, end=True)])
    def test_a_torn_one_ends_the_process_and_is_offered_no_more(
        self, folder: Path, start: SavedPlace, leaving: list[int]
    ) -> None:
        worker = Worker(folder, start=start)
        part = "fit00001-end" if start.end else "fit00002-step"
        (path,) = worker.session.folder.snapshots.glob(f"{part}*.snapshot")
        path.write_bytes(path.read_bytes()[:-1])

        with pytest.raises(Left):
            worker.gang.find_saved(start.fit, lambda _: "")

        assert leaving == [REPLACE_ME]
        (failed,) = worker.events(Failed)
        assert failed.kind == LOST_START
        assert "is not whole" in failed.error
        assert failed.place.fit == start.fit
        assert start not in worker.store.list_places()
        assert all(place < start for place in worker.store.list_places())

    def test_one_of_another_model_ends_the_process_too(
        self, folder: Path, leaving: list[int]
    ) -> None:
        worker = Worker(folder, start=SavedPlace(2, 40))

        with pytest.raises(Left):
            worker.gang.find_saved(2, lambda _: "The script builds another model.")

        assert leaving == [REPLACE_ME]
        assert "another model" in worker.events(Failed)[0].error
        assert worker.store.list_places() == [SavedPlace(1, end=True)]
        assert self.list_aside(worker) == ["fit00002-step00000000040"]

    @pytest.mark.parametrize("start", [SavedPlace(2, 50), SavedPlace(4, end=True)])
    def test_a_start_that_is_not_there_ends_the_process_before_the_script_runs(
        self, folder: Path, start: SavedPlace, leaving: list[int]
    ) -> None:
        worker = Worker(folder, begin=False)
        orders = GangOrders(round=2, worker=0, workers=2, start=start)

        with pytest.raises(Left):
            Gang(orders, worker.session, worker.store).begin()

        assert leaving == [REPLACE_ME]
        assert "is not there" in worker.events(Failed)[0].error

    def test_a_missing_end_before_the_start_takes_all_behind_it_along(self, folder: Path) -> None:
        worker = Worker(folder, begin=False)
        (path,) = worker.session.folder.snapshots.glob("fit00001-end*")
        path.unlink()
        orders = GangOrders(round=2, worker=0, workers=2, start=SavedPlace(2, 40))

        with pytest.raises(Left):
            Gang(orders, worker.session, worker.store).begin()

        assert worker.store.list_places() == [], "without it none of them can be gone on from"
        assert len(self.list_aside(worker)) == 4


def saved_by(workers, **more):
    return Content({"workers": workers, "start": "a", "next_batch": "b", **more}, {})


def test_a_snapshot_of_as_many_workers_is_as_it_was(tmp_path):
    gang = Worker(tmp_path).gang
    saved = saved_by(2, batch_size=8, steps_per_epoch=9)
    assert gang.describe_resized(saved, batch_size=4, steps_per_epoch=18) == []
    assert gang.describe_resized(Content({}, {})) == []


@pytest.mark.parametrize(
    ("batch_size", "steps", "said"),
    [
        (8, 9, ()),
        (None, None, ()),
        (4, None, ("the batch size changed with the number of workers: it was 8 and is 4",)),
        (None, 18, ("the number of steps in an epoch changed", "it was 9 and is 18")),
    ],
)
def test_what_differs_with_another_number_of_workers_is_said(tmp_path, batch_size, steps, said):
    saved = saved_by(3, batch_size=8, steps_per_epoch=9)
    gang = Worker(tmp_path).gang
    first, *more = gang.describe_resized(saved, batch_size=batch_size, steps_per_epoch=steps)
    assert first.startswith("3 workers trained up to here, and 2 go on.")
    assert len(more) == bool(said)
    assert all(text in more[0] for text in said)


@pytest.mark.parametrize(("workers", "start"), [(2, "a"), (3, "")])
def test_after_a_change_of_size_the_script_says_who_it_is(tmp_path, workers, start):
    earlier = Worker(tmp_path)
    earlier.store.save(saved_by(workers), Place(fit=1, total_steps=4))
    saved = Worker(tmp_path, start=SavedPlace(1, 4)).gang.find_saved(1, lambda _: "")
    assert saved.document["start"] == start


def test_the_first_of_those_that_train_speaks_for_all():
    def orders(worker, *members):
        return GangOrders(round=1, worker=worker, workers=3, members=members)

    assert [orders(number).is_first for number in range(3)] == [True, False, False]
    assert [orders(number, 1, 2).is_first for number in (1, 2)] == [True, False]
    assert (orders(0).size, orders(1, 1, 2).size) == (3, 2)
