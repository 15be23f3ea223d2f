"""Ways to recompute, tried on paper."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from fitguard.memory.graph.shelves import NO_SHELVES, Shelves
from fitguard.memory.recomputing.edit import NAME, Edit, editing, editing_all, make_edit
from fitguard.memory.recomputing.expense import expense
from fitguard.memory.recomputing.graph import run_on_paper
from fitguard.memory.recomputing.groups import Group, find_groups
from fitguard.memory.recomputing.paper import Paper
from fitguard.memory.recomputing.recomputation import Recomputation
from fitguard.memory.recomputing.segments import Stash

_CUTS = (0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32)
_DEEPER = ((0, True), (0, False), (1, False), (2, False))
"""What is tried at a peak that is left: how many cuts, and whether what is expensive is kept."""
_MOST_DEEPER = 4
_MOST_LEVELS = 4
_MOST_REFINED = 2
_MANY_NODES = 16_000
"""To look deeper into a graph of so many takes a quarter of a minute. Of a larger one than a
quarter of this, fewer ways are followed."""
_SMALL_STEP = 2 * 2**20
"""A step that takes less is not worth seconds."""
_MORE_CUTS = 12
_MOST_WEIGHED = 6
"""Of so many that have least in use at once, the least memory that they run in is looked for."""


@dataclass(frozen=True)
class _Tried:
    """Edits behind those that are arranged, with what is in use at most, and what they cost.

    Args:
        groups: What is computed again, where that is all of it.
    """

    edits: tuple[Edit, ...]
    peak_bytes: int
    extra: float
    cuts: list[int] = field(default_factory=list)
    keeps_expensive: bool = False
    groups: list[Group] = field(default_factory=list)


class Search:
    """Tries what is cheap again everywhere, or all of it between more or fewer cuts.

    Where that does not suffice: at the peak that is left, part of that once more, and again at the
    next one. What is in use at once is a first sieve. What passes must also find room in an
    allocator that has no more than that: between what stays in memory, only pieces are free.

    Args:
        paper: The step.
        arranged: Edits that cost no time: with these in place, it searches.
    """

    def __init__(self, paper: Paper, arranged: tuple[Edit, ...]) -> None:
        self._paper, self._nodes = paper, paper.nodes
        self._arranged = arranged

    def find_fitting(self, most_bytes: int) -> Recomputation | None:
        """The cheapest that fits, and of that no more than is needed."""
        with editing_all(self._paper.nodes, self._arranged) as self._nodes:
            for tried in self._list_tried():
                for one in _list_worthwhile(tried, most_bytes):
                    if self._find_shelves(one, most_bytes) is not None:
                        return self._settle(self._do_less(one, most_bytes), most_bytes)
        return None

    def find_least(self) -> Recomputation:
        """The one that runs in least."""
        with editing_all(self._paper.nodes, self._arranged) as self._nodes:
            every = [one for tried in self._list_tried() for one in tried]
            ranked = sorted(every, key=lambda one: one.peak_bytes)
            found = map(self._weigh, ranked[:_MOST_WEIGHED])
            return min(found, key=lambda way: way.needed_bytes)

    def _list_tried(self) -> Iterator[list[_Tried]]:
        """To try more takes time: only where nothing of the first fits."""
        yield [self._nothing_twice]
        yield self._tried
        yield self._refined
        yield self._deeper

    @cached_property
    def _stash(self) -> Stash:
        return Stash(run_on_paper(self._nodes))

    @cached_property
    def _nothing_twice(self) -> _Tried:
        return _Tried((), self._stash.order.peak_bytes, 0.0)

    @cached_property
    def _tried(self) -> list[_Tried]:
        tried = (self._try(cuts, keep) for cuts, keep in self._list_ways())
        return [one for one in tried if one.groups]

    @cached_property
    def _refined(self) -> list[_Tried]:
        whole = [one for one in self._tried if not one.keeps_expensive]
        ranked = sorted(whole, key=lambda one: one.peak_bytes)
        return [finer for one in ranked[:_MOST_REFINED] for finer in self._refine(one)]

    def _list_ways(self) -> Iterator[tuple[list[int], bool]]:
        seen = set[tuple[int, ...]]()
        for number in _CUTS:
            cuts = self._stash.choose_cuts(number)
            if tuple(cuts) in seen:
                continue
            seen.add(tuple(cuts))
            yield from ((cuts, keep_expensive) for keep_expensive in (True, False))

    def _try(self, cuts: list[int], keep_expensive: bool) -> _Tried:
        groups = find_groups(self._stash, cuts, keep_expensive=keep_expensive)
        edit = make_edit(self._stash, groups)
        return self._run((edit,), cuts, keep_expensive, groups)

    def _run(
        self,
        added: tuple[Edit, ...],
        cuts: Sequence[int] = (),
        keeps_expensive: bool = False,
        groups: Sequence[Group] = (),
    ) -> _Tried:
        with editing_all(self._nodes, added) as edited:
            peak = run_on_paper(edited).peak_bytes
        return _Tried(added, peak, self._cost(added), [*cuts], keeps_expensive, [*groups])

    def _refine(self, tried: _Tried) -> Iterator[_Tried]:
        """With more cuts, each in what is computed again when most memory is in use."""
        for _ in range(_MORE_CUTS):
            (edit,) = tried.edits
            with editing(self._nodes, edit) as edited:
                order = run_on_paper(edited)
            again = (
                node for node in reversed(order.nodes[: order.peak + 1]) if node in edit.copies
            )
            last = next(again, None)
            if last is None:
                return
            places = [self._stash.places[node] for node in edit.groups[last].nodes]
            finer = [
                self._try(sorted([*tried.cuts, cut]), keep_expensive=False)
                for cut in self._stash.list_cuts_between(min(places), max(places))
                if cut not in tried.cuts
            ]
            least = min(finer, key=lambda one: one.peak_bytes, default=tried)
            if least.peak_bytes >= tried.peak_bytes:
                return
            tried = least
            yield tried

    @cached_property
    def _deeper(self) -> list[_Tried]:
        """The ways that take least, and at the peaks that are left, part of that once more."""
        if self._paper.whole_bytes < _SMALL_STEP:
            return []
        ranked = sorted((*self._tried, *self._refined), key=lambda one: one.peak_bytes)
        followed = ranked[: min(_MOST_DEEPER, max(_MANY_NODES // len(self._nodes), 1))]
        return [deeper for one in followed for deeper in self._go_deeper(one)]

    def _go_deeper(self, tried: _Tried) -> Iterator[_Tried]:
        for level in range(2, _MOST_LEVELS + 1):
            deeper = [
                one for one in self._list_deeper(tried, level) if one.peak_bytes < tried.peak_bytes
            ]
            if not deeper:
                return
            yield from deeper
            tried = min(deeper, key=lambda one: one.peak_bytes)

    def _list_deeper(self, tried: _Tried, level: int) -> Iterator[_Tried]:
        with editing_all(self._nodes, tried.edits) as edited:
            stash = Stash(run_on_paper(edited))
            edits = []
            for number, keep_expensive in _DEEPER:
                groups = find_groups(
                    stash, stash.choose_cuts(number), keep_expensive=keep_expensive
                )
                edits.append(make_edit(stash, groups, f"{NAME}_{level}"))
        for edit in edits:
            yield self._run((*tried.edits, edit))

    def _do_less(self, tried: _Tried, most_bytes: int) -> _Tried:
        """Without the groups that cost most for what they save, as far as it still fits."""
        ranked = sorted(tried.groups, key=lambda one: one.expense / max(one.saved_bytes, 1))
        low, high = 1, len(ranked)
        while low < high:
            middle = (low + high) // 2
            edits = (make_edit(self._stash, ranked[:middle]),)
            less = _Tried(edits, 0, self._cost(edits))
            if self._find_shelves(less, most_bytes) is not None:
                tried, high = less, middle
            else:
                low = middle + 1
        return tried

    def _find_shelves(self, tried: _Tried, most_bytes: int) -> Shelves | None:
        """Those with which it runs in so much memory; None where it does not."""
        with editing_all(self._nodes, tried.edits) as edited:
            return self._paper.find_shelves(edited, most_bytes)

    def _settle(self, tried: _Tried, most_bytes: int) -> Recomputation:
        """As a way to take the step in so much memory, where it is known to run."""
        with editing_all(self._nodes, tried.edits) as edited:
            shelves = self._paper.find_shelves(edited, most_bytes) or NO_SHELVES
            needed = self._paper.measure_least(edited, shelves)
        return self._sum_up(tried, min(needed, most_bytes), shelves)

    def _weigh(self, tried: _Tried) -> Recomputation:
        """As a way to take the step in the least memory that it runs in."""
        with editing_all(self._nodes, tried.edits) as edited:
            return self._sum_up(tried, *self._paper.find_least(edited))

    def _sum_up(self, tried: _Tried, needed_bytes: int, shelves: Shelves) -> Recomputation:
        edits = (*self._arranged, *tried.edits)
        return Recomputation(edits, needed_bytes, self._paper.whole_bytes, tried.extra, shelves)

    def _cost(self, added: Iterable[Edit]) -> float:
        again = sum(expense(edit.copies[copy]) for edit in added for copy in edit.groups)
        return again / self._paper.expense


def _list_worthwhile(tried: Iterable[_Tried], most_bytes: int) -> Iterator[_Tried]:
    """The cheapest first; of those that cost more, only what has less in use than all before."""
    least = most_bytes + 1
    for one in sorted(tried, key=lambda one: one.extra):
        if one.peak_bytes < least:
            least = one.peak_bytes
            yield one
