"""Who is called to leave waits until all workers have the same snapshot."""

from pathlib import Path

import pytest
from guarded.one_worker import Worker, place_at

from fitguard.keras import leaving_together
from fitguard.schema.gang import SavedPlace


def test_who_is_called_to_leave_goes_once_all_have_its_snapshot(tmp_path: Path) -> None:
    worker = Worker(tmp_path)
    worker.come_to(4)
    worker.guard.call(SavedPlace(1, 5), leave=True)
    assert worker.come_to(8) == "leave", "four steps at once"
    worker.guard.note_complete(SavedPlace(1, 8))

    assert worker.gang.may_leave(place_at(8, 1))


def test_who_waits_to_leave_goes_on_where_all_are_called_to_another_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = Worker(tmp_path)
    worker.come_to(4)
    worker.guard.call(SavedPlace(1, 5), leave=True)
    assert worker.come_to(5) == "leave"
    worker.guard.note_complete(SavedPlace(1, 2))

    def call_again(_: float) -> None:
        worker.guard.call(SavedPlace(1, 9), leave=True)

    monkeypatch.setattr(leaving_together.time, "sleep", call_again)

    assert not worker.gang.may_leave(place_at(5, 1))
    assert worker.come_to(6) == "none"
    assert worker.come_to(9) == "leave"


def test_nobody_waits_to_leave_for_long_or_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = Worker(tmp_path)
    worker.come_to(4)
    assert worker.gang.may_leave(place_at(4, 1)), "only this process was asked"

    worker.guard.call(SavedPlace(1, 5), leave=True)
    worker.come_to(5)

    def pass_time(seconds: float) -> None:
        worker.now += seconds

    monkeypatch.setattr(leaving_together.time, "sleep", pass_time)
    assert worker.gang.may_leave(place_at(5, 1))
    assert worker.now > 105.0

    before = worker.now
    worker.session.heartbeat.wish("leave")
    assert worker.gang.may_leave(place_at(5, 1))
    assert worker.now == before, "it got a signal itself"
