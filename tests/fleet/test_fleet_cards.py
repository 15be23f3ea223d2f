"""Cards that are left out for several reasons, and measured more than once."""

import pytest

from fitguard.fleet import fleet_cards, probing
from fitguard.fleet.fleet_cards import FleetCards
from fitguard.fleet.inspecting import NodeCard
from fitguard.fleet.nodes import Change
from fitguard.fleet.packing import Packer
from fitguard.fleet.refusing import find_refusals
from fitguard.fleet.requests import Request
from fitguard.schema.fleet import FleetCard

GIB = 2**30
KEY = ("n1", 0)
WELL = ""


class ToldNodes:
    """Nodes that tell what they are told to."""

    are_asked = False
    are_measured_again = False

    def __init__(self):
        self.next = Change((), (), ())

    def look(self):
        found, self.next = self.next, Change((), (), ())
        return found

    def leave_out(self, node, why):
        pass

    def tell(self, gib, problem=WELL):
        """The node answers: so much of its card is free."""
        card = FleetCard(node="n1", host="gpu-1", index=0, name="H200", memory_bytes=gib * GIB)
        found = NodeCard(0, "H200", gib * GIB, problem=problem)
        self.next = Change(((card, found),), (), ())


class Fleet:
    """Cards and a packer, without Ray."""

    def __init__(self):
        self.nodes, self.packer, self.said = ToldNodes(), Packer(), []
        self.cards = FleetCards(self.nodes, self.packer, self.said.append)

    @property
    def why(self):
        (card,) = self.cards.describe()
        return card.left_out

    def wait_for(self, gib):
        self.packer.add(Request(name=f"of-{gib}", memory_bytes=gib * GIB))
        return [one.name for one in self.packer.place()]

    @property
    def refused(self):
        return list(find_refusals(self.packer, self.cards))


@pytest.fixture
def fleet(monkeypatch):
    monkeypatch.setattr(fleet_cards, "_LOOK_SECONDS", -1.0)
    made = Fleet()
    made.nodes.tell(139)
    made.cards.look()
    return made


def test_a_node_that_answers_again_while_we_train_there_keeps_the_size_of_its_cards(fleet):
    assert fleet.wait_for(100) == ["of-100"]
    fleet.cards.leave_node_out("n1", "/shared/runs is not there")
    assert fleet.why == "/shared/runs is not there"
    fleet.nodes.tell(39)  # NVML counts our training, too
    fleet.cards.look()
    assert fleet.why == WELL
    assert fleet.wait_for(60) == []
    assert fleet.refused == []
    assert fleet.cards.find(KEY).memory_bytes == 139 * GIB


def test_memory_that_others_gave_back_is_used(fleet):
    fleet.nodes.tell(140)
    fleet.cards.look()
    assert fleet.wait_for(140) == ["of-140"]
    assert fleet.cards.find(KEY).memory_bytes == 140 * GIB


def test_a_card_that_waits_for_its_probe_is_not_used_because_its_node_answers(fleet):
    fleet.wait_for(1)
    fleet.cards.suspect([KEY], "hardware-fault", "")
    fleet.cards.leave_node_out("n1", "/shared/runs is not there")
    assert "hardware-fault" in fleet.why
    fleet.nodes.tell(138)
    fleet.cards.look()
    assert "hardware-fault" in fleet.why


def test_a_card_is_suspected_also_where_its_node_is_left_out(fleet):
    fleet.wait_for(1)
    fleet.cards.leave_node_out("n1", "/shared/runs is not there")
    fleet.cards.suspect([KEY], "", "")
    assert fleet.why == "it is probed, because a training failed there"


def test_who_needs_a_card_that_never_comes_back_is_refused_with_the_reason(monkeypatch):
    monkeypatch.setattr(fleet_cards, "_LOOK_SECONDS", -1.0)
    fleet = Fleet()
    fleet.nodes.tell(139, problem="GPU is lost")
    fleet.cards.look()
    fleet.wait_for(60)
    assert fleet.why == "GPU is lost"
    (why,) = find_refusals(fleet.packer, fleet.cards).values()
    assert "gpu-1/0" in why
    assert "GPU is lost" in why


class Giving:
    """Ray gives each card."""

    def take(self, _):
        return True

    def give(self, _):
        pass

    def place(self, *_):
        return {}


@pytest.fixture
def clock(monkeypatch):
    now = [1000.0]
    monkeypatch.setattr(probing.time, "monotonic", lambda: now[0])
    return now


def test_a_card_is_probed_three_times_with_growing_pauses(monkeypatch, clock):
    asked = []
    monkeypatch.setattr(probing, "ask_probe", lambda _, python: asked.append(python) or "promise")
    monkeypatch.setattr(probing, "_hear", lambda _: "matmul (wrong)")
    probes = probing.Probes(Giving(), lambda _: False)
    probes.add(KEY, "/opt/tf/bin/python")
    ends = []
    for pause in (0.0, 60.0, 600.0):
        clock[0] += pause - 1.0 if pause else 0.0
        if pause:
            assert list(probes.look()) == []
            clock[0] += 1.0
        ends += probes.look()
    assert [end.is_last for end in ends] == [False, False, True]
    assert ends[0].problem == "matmul (wrong). It is probed again in 1 min"
    assert ends[2].problem == "matmul (wrong)"
    assert asked == ["/opt/tf/bin/python"] * 3
    clock[0] += 10_000
    assert list(probes.look()) == []


def test_a_card_that_passes_is_not_probed_again(monkeypatch):
    monkeypatch.setattr(probing, "ask_probe", lambda *_: "promise")
    monkeypatch.setattr(probing, "_hear", lambda _: WELL)
    probes = probing.Probes(Giving(), lambda _: False)
    probes.add(KEY, "")
    assert list(probes.look()) == [(KEY, WELL, True)]
    assert list(probes.look()) == []


def test_a_card_on_which_somebody_trains_is_not_probed(monkeypatch):
    monkeypatch.setattr(probing, "ask_probe", lambda *_: pytest.fail("it was probed"))
    probes = probing.Probes(Giving(), lambda _: True)
    probes.add(KEY, "")
    assert list(probes.look()) == []
