"""A `fit` of one worker: snapshots where all are called, each end kept, the agreed start."""

import contextlib

import pytest
from guarded.attempts import Killed, attempt, events

from fitguard.keras import Guard
from fitguard.keras import guard as loops
from fitguard.keras.fitting import guarded_call
from fitguard.keras.gang import Gang
from fitguard.monitor.heartbeat import Heartbeat
from fitguard.schema.gang import GangOrders, SavedPlace
from fitguard.schema.journal import LEFT_AS_ASKED, UNGUARDED, FitBegan, Noted

END = SavedPlace(1, end=True)


@contextlib.contextmanager
def worker(path, number=1, start=None, calls=None, leave=False, **orders):
    """An attempt of worker 0, which is called before its first step."""
    gang = GangOrders(round=number, worker=0, workers=2, start=start)
    with attempt(path, number, gang=gang, **orders) as fits:
        if calls is not None:
            heartbeat = Heartbeat(fits.session.folder.heartbeat)
            heartbeat.call(calls, leave=leave)
            heartbeat.close()
        yield fits


def note_complete(fits, place):
    heartbeat = Heartbeat(fits.session.folder.heartbeat)
    heartbeat.note_complete(place)
    heartbeat.close()


def call_late(self, place):
    """Stands for a guard whose training had missed the first call."""
    if place.total_steps > 3:
        return True
    heartbeat = Heartbeat(self._session.folder.heartbeat)
    heartbeat.call(SavedPlace(1, 8), leave=True)
    heartbeat.close()
    return False


def train_loop(trainee):
    guard = Guard(trainee.model)
    for step in range(guard.start, 10):
        guard.step_done(step)


def test_a_worker_saves_where_it_is_called_and_at_the_end_and_nowhere_else(
    trainee, tmp_path, assert_same
):
    trainee.fresh()
    trainee.fit()
    end = trainee.values()
    trainee.fresh()
    run = tmp_path / "run"

    # Time says: at each step.
    with worker(run, calls=SavedPlace(1, 8), snapshot_seconds=0.0) as fits:
        trainee.fit()
        fits.writer.wait()
        assert fits.store.list_places() == [END, SavedPlace(1, 8)]
        assert Heartbeat(fits.session.folder.heartbeat).read().asks_call == 1
    assert_same(trainee.values(), end)

    trainee.fresh()
    with worker(run, 2, SavedPlace(1, 8)) as fits:
        trainee.fit()
    assert_same(trainee.values(), end)
    assert [one.place.total_steps for one in events(fits, FitBegan)] == [0, 8]


def test_it_leaves_where_all_are_called_to(trainee, tmp_path, monkeypatch):
    codes = []

    def leave(code):
        codes.append(code)
        raise Killed

    monkeypatch.setattr(guarded_call, "leave", leave)
    trainee.fresh()

    with worker(tmp_path / "run", calls=SavedPlace(1, 8), leave=True) as fits:
        note_complete(fits, SavedPlace(1, 8))
        with pytest.raises(Killed):
            trainee.fit()
        assert fits.store.list_places() == [SavedPlace(1, 8)]

    # Behind its last step: at its end.
    trainee.fresh()
    start = SavedPlace(1, 8)
    with worker(tmp_path / "run", 2, start, calls=SavedPlace(1, 99), leave=True) as fits:
        with pytest.raises(Killed):
            trainee.fit()
        assert fits.store.list_places() == [END, SavedPlace(1, 8)]
    assert codes == [LEFT_AS_ASKED, LEFT_AS_ASKED]


@pytest.mark.parametrize("train", [lambda trainee: trainee.fit(), train_loop], ids=["fit", "loop"])
def test_it_trains_on_where_another_worker_missed_the_call_to_leave(
    trainee, tmp_path, monkeypatch, train
):
    def leave(_):
        raise Killed

    monkeypatch.setattr(guarded_call, "leave", leave)
    monkeypatch.setattr(loops, "leave", leave)
    monkeypatch.setattr(Gang, "may_leave", call_late)
    trainee.fresh()

    with worker(tmp_path / "run", calls=SavedPlace(1, 3), leave=True) as fits:
        with pytest.raises(Killed):
            train(trainee)
        assert fits.store.list_places() == [SavedPlace(1, 8), SavedPlace(1, 3)]


def test_loops_are_called_too_and_without_a_finish_nothing_behind_them_is_kept(trainee, tmp_path):
    model = trainee.fresh()

    with worker(tmp_path / "run", calls=SavedPlace(1, 3), snapshot_seconds=0.0) as fits:
        guard = Guard(model)
        for step in range(guard.start, 5):
            guard.step_done(step)
        trainee.fit(epochs=1)
        fits.writer.wait()

        assert fits.store.list_places() == [SavedPlace(1, 3)]
    assert [one.kind for one in events(fits, Noted)] == [UNGUARDED]

    with worker(tmp_path / "run", 2, SavedPlace(1, 3)) as fits:
        guard = Guard(model)
        assert guard.start == 3
        guard.finish(3)
        trainee.fit(epochs=1)
        fits.writer.wait()

        assert fits.store.list_places() == [SavedPlace(2, end=True), END, SavedPlace(1, 3)]
