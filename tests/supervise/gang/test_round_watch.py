"""What a guard tells its training, and the others, while all train."""

import time

import pytest

from fitguard.monitor.gang_folder import GangFolder
from fitguard.monitor.heartbeat import Heartbeat, OwnHeartbeat
from fitguard.schema.gang import Called, SavedPlace
from fitguard.supervise.departure import Departure
from fitguard.supervise.gang.calls import Caller
from fitguard.supervise.gang.peers import Peers
from fitguard.supervise.gang.round_watch import RoundWatch


class Guard:
    """That of one worker of two, which looks when it is told to; and its training."""

    def __init__(self, folder, worker, monkeypatch):
        gang = GangFolder(folder, "night")
        self.here = gang.open_round(1, 2, create=True)
        self._heartbeat = Heartbeat(folder / "heartbeat", create=True)
        self.training = OwnHeartbeat(folder / "heartbeat")
        self.training.change_answering(1)
        self._departure = Departure(None, lambda: None, 25.0)
        self._now = time.monotonic()
        monkeypatch.setattr(time, "monotonic", lambda: self._now)
        peers = Peers(gang, worker, 2)
        self.watch = RoundWatch(self.here, worker, (0, 1), peers, Caller(), "")

    def look(self):
        self._now += 0.2
        self.watch.look(self._heartbeat, self._departure, print)

    def come_to(self, steps):
        self.training.beat("training", 1, 0, steps, steps)


@pytest.fixture
def guard_of(tmp_path, monkeypatch):
    return lambda worker: Guard(tmp_path, worker, monkeypatch)


def test_who_calls_all_tells_its_own_training_at_once(guard_of):
    guard = guard_of(0)
    guard.come_to(7)
    guard.watch.want("leave")
    guard.look()
    assert guard.training.read_call().place == guard.here.read().called.place


@pytest.mark.parametrize(("steps", "missed"), [(8, 0), (9, 3), (10, 3)])
def test_who_was_called_too_late_says_so_whatever_it_wants_then(guard_of, steps, missed):
    guard = guard_of(1)
    guard.come_to(steps)
    guard.here.call(Called(place=SavedPlace(1, 9), leave=True, number=3))
    guard.look()
    guard.watch.want("leave")
    wanted = guard.here.read().wanted[1]
    assert (wanted.want, wanted.missed) == ("leave", missed)
