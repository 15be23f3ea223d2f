"""What holds whatever comes: cards that come and go, trainings that wait, end and are lost."""

from fleet.cards import GIB, ask, card
from hypothesis import given, settings
from hypothesis import strategies as some
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from fitguard.fleet.packing import Packer
from fitguard.fleet.requests import id_of
from fitguard.fleet.waiting_line import WaitingLine

NAMES = ("NVIDIA H200", "NVIDIA A100", "RTX 4090")
sizes = some.sampled_from([1, 2, 5, 8, 13, 20, 24, 40, 80, 100])
avoided = some.sets(some.tuples(some.just("n"), some.integers(0, 5)), max_size=2)
times = some.sampled_from([None, 0.5, 60.0, 70.0, 3600.0])
patterns = some.sampled_from([(), (), ("*H200*",), ("NVIDIA*",), ("T4",), ("*a100", "rtx*")])


def may_use(request, one):
    words = {"*H200*": "H200", "NVIDIA*": "NVIDIA", "*a100": "A100", "rtx*": "RTX", "T4": "T4"}
    return not request.cards or any(words[pattern] in one.name for pattern in request.cards)


class Fleet(RuleBasedStateMachine):
    """The packer, beside plain lists of what should be in it."""

    def __init__(self):
        super().__init__()
        self.packer = Packer(WaitingLine(generation=5))
        self.cards = {}
        self.waiting = {}
        self.running = {}
        self.count = 0

    @rule(index=some.integers(0, 5), size=sizes, name=some.sampled_from(NAMES), out=some.booleans())
    def card_comes(self, index, size, name, out):
        if ("n", index) not in self.cards:
            self.set_card(card(index, size, name=name, left_out="sick" if out else ""))

    @rule(index=some.integers(0, 5), out=some.booleans())
    def card_is_left_out_or_not(self, index, out):
        old = self.cards.get(("n", index))
        if old is not None:
            size = old.memory_bytes // GIB
            self.set_card(card(index, size, name=old.name, left_out="sick" if out else ""))

    def set_card(self, one):
        self.cards[id_of(one)] = one
        self.packer.add_card(one)

    @rule(index=some.integers(0, 5), again=some.booleans())
    def card_goes(self, index, again):
        lost = self.packer.remove_card(("n", index))
        self.cards.pop(("n", index), None)
        on_it = {name for name, (_, cards) in self.running.items() if ("n", index) in cards}
        assert on_it == set(lost)
        for name in lost:
            request, _ = self.running.pop(name)
            if again:
                self.packer.add(request)
                self.waiting[name] = request

    @rule(size=sizes, priority=some.integers(0, 2), workers=some.sampled_from([1, 1, 1, 2, 3]),
          cards=patterns, whole=some.sampled_from([False, False, True]), avoid=avoided,
          takes=times)  # fmt: skip
    def training_comes(self, size, priority, workers, cards, whole, avoid, takes):
        self.count += 1
        request = ask(
            f"t{self.count}", size, priority=priority, workers=workers, cards=cards,
            whole_card=whole, avoid=frozenset(avoid), takes_seconds=takes,
        )  # fmt: skip
        self.packer.add(request)
        self.waiting[request.name] = request

    @rule(data=some.data(), takes=times)
    def more_is_known_of_times(self, data, takes):
        names = (
            data.draw(some.sets(some.sampled_from(sorted(self.waiting)))) if self.waiting else ()
        )
        self.packer.retime(dict.fromkeys((*names, *self.running), takes))

    @rule(data=some.data())
    def training_ends(self, data):
        if self.running:
            name = data.draw(some.sampled_from(sorted(self.running)))
            self.packer.release(name)
            del self.running[name]

    @rule(data=some.data())
    def nobody_wants_it_any_more(self, data):
        if self.waiting:
            name = data.draw(some.sampled_from(sorted(self.waiting)))
            assert self.packer.remove(name) == self.waiting.pop(name)

    @rule(data=some.data())
    def room_is_made(self, data):
        if self.waiting:
            name = data.draw(some.sampled_from(sorted(self.waiting)))
            for victim in self.packer.choose_victims(name):
                assert self.running[victim][0].priority < self.waiting[name].priority

    @rule()
    def place(self):
        for placed in self.packer.place():
            request = self.waiting.pop(placed.name)
            assert len(set(placed.cards)) == request.workers
            for key in placed.cards:
                assert not self.cards[key].left_out
                assert may_use(request, self.cards[key])
                assert request.whole_card or self.cards[key].memory_bytes >= placed.memory_bytes
            assert request.whole_card or placed.memory_bytes == request.memory_bytes
            self.running[placed.name] = (request, placed.cards)
        self.nobody_is_passed_over()

    def nobody_is_passed_over(self):
        """Who still waits is a misfit, or finds no room that is not held for others."""
        assert self.packer.place() == ()
        misfits = {misfit.request.name for misfit in self.packer.find_misfits()}
        for name, request in self.waiting.items():
            if request.whole_card or name in misfits:
                continue
            free = [
                key
                for key, one in self.cards.items()
                if not one.left_out
                and may_use(request, one)
                and key not in request.avoid
                and not self.is_held(key, name)
                and one.memory_bytes - self.packer.used_bytes(key) >= request.memory_bytes
            ]
            assert len(free) < request.workers

    def is_held(self, key, name):
        return any(key in self.packer.holds_for(other) for other in self.waiting if other != name)

    @invariant()
    def no_card_is_over(self):
        for key, one in self.cards.items():
            taken = sum(
                one.memory_bytes if request.whole_card else request.memory_bytes
                for request, cards in self.running.values()
                if key in cards
            )
            assert self.packer.used_bytes(key) == taken <= one.memory_bytes

    @invariant()
    def nothing_is_lost_and_nothing_is_there_twice(self):
        assert sorted(self.packer.list_running()) == sorted(self.running)
        assert {request.name for request in self.packer.list_waiting()} == set(self.waiting)
        assert self.packer.waiting == len(self.waiting)

    @invariant()
    def a_misfit_fits_nowhere(self):
        for misfit in self.packer.find_misfits():
            request = misfit.request
            enough = [
                one
                for one in self.cards.values()
                if not one.left_out
                and may_use(request, one)
                and (request.whole_card or one.memory_bytes >= request.memory_bytes)
            ]
            assert len(enough) < request.workers

    @invariant()
    def a_card_is_held_for_one_at_most(self):
        held = [key for name in self.waiting for key in self.packer.holds_for(name)]
        assert len(held) == len(set(held))


TestFleet = Fleet.TestCase
TestFleet.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)

requests = some.lists(
    some.tuples(sizes, some.integers(0, 3), some.integers(1, 3), some.booleans()), max_size=25
)


@given(requests, some.lists(sizes, min_size=1, max_size=5), some.randoms(use_true_random=False))
def test_all_that_fit_somewhere_come_to_their_end(asked, cards, random):
    """Whoever waits starts, as long as those that run end: in any order of ends."""
    packer = Packer()
    for index, size in enumerate(cards):
        packer.add_card(card(index, size))
    for number, (size, priority, workers, whole) in enumerate(asked):
        more = {"priority": priority, "workers": workers, "whole_card": whole}
        packer.add(ask(f"t{number}", size, **more))
    for misfit in packer.find_misfits():
        packer.remove(misfit.request.name)
    while packer.waiting:
        packer.place()
        assert packer.list_running()
        packer.release(random.choice(packer.list_running()))


@given(requests, some.lists(sizes, min_size=1, max_size=5))
def test_a_higher_priority_is_never_passed_over_on_free_cards(asked, cards):
    packer = Packer()
    for index, size in enumerate(cards):
        packer.add_card(card(index, size))
    wanted = {f"t{n}": ask(f"t{n}", one[0], priority=one[1]) for n, one in enumerate(asked)}
    for request in wanted.values():
        packer.add(request)
    started = [wanted[placed.name] for placed in packer.place()]
    misfits = {misfit.request.name for misfit in packer.find_misfits()}
    left = [one for one in packer.list_waiting() if one.name not in misfits]
    if left:
        # Those before the first that is left came in order: all of higher priority, larger, older.
        before = [one for one in started if one.priority > left[0].priority]
        assert started[: len(before)] == before


def test_huge_sizes_and_numbers():
    packer = Packer()
    packer.add_card(card(0, 2**20))
    packer.add(ask("a", 2**20, priority=10**11))
    packer.add(ask("b", 2**29, workers=1000))
    packer.add(ask("nothing", 0))
    assert [placed.name for placed in packer.place()] == ["a", "nothing"]
    assert [misfit.request.name for misfit in packer.find_misfits()] == ["b"]
