"""Ways to recompute, tried on paper."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from fitguard.memory.graph.nodes import Node
from fitguard.memory.recomputing.edit import NAME, Edit, editing, editing_all, make_edit
from fitguard.memory.recomputing.expense import expense
from fitguard.memory.recomputing.graph import run_on_paper
from fitguard.memory.recomputing.groups import Group, find_groups
from fitguard.memory.recomputing.recomputation import Recomputation
from fitguard.memory.recomputing.segments import Stash

_CUTS = (0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32)
_DEEPER = ((0, True), (0, False), (1, False), (2, False))
"""What is tried at a peak that is left: how many cuts, and whether what is expensive is kept."""
_MOST_DEEPER = 4
_MOST_LEVELS = 4
_MOST_REFINED = 2
_MORE_CUTS = 12


@dataclass(frozen=True)
class _Tried:
    cuts: list[int]
    keeps_expensive: bool
    groups: list[Group]
    way: Recomputation


class Search:
    """Tries what is cheap again everywhere, or all of it between more or fewer cuts.

    Where that does not suffice: at the peak that is left, part of that once more, and again at the
    next one.

    Args:
        nodes: The step.
        arranged: Edits that cost no time: with these in place, it searches.
        whole_bytes: What the step takes as it is.
        whole_expense: How long it takes.
    """

    def __init__(
        self,
        nodes: Sequence[Node],
        arranged: tuple[Edit, ...],
        whole_bytes: int,
        whole_expense: float,
    ) -> None:
        self._given, self._nodes = nodes, nodes
        self._arranged = arranged
        self._whole_bytes, self._expense = whole_bytes, whole_expense

    def find_fitting(self, most_bytes: int) -> Recomputation | None:
        """The cheapest that fits, and of that no more than is needed."""
        with editing_all(self._given, self._arranged) as self._nodes:
            if self._nothing_twice.peak_bytes <= most_bytes:
                return self._nothing_twice
            for tried in self._list_tried():
                fitting = [one for one in tried if one.way.peak_bytes <= most_bytes]
                if fitting:
                    cheapest = min(fitting, key=lambda one: one.way.extra)
                    return self._do_less(cheapest, most_bytes)
            deeper = [way for way in self._deeper if way.peak_bytes <= most_bytes]
            return min(deeper, key=lambda way: way.extra, default=None)

    def find_least(self) -> Recomputation:
        """The one that takes least."""
        with editing_all(self._given, self._arranged) as self._nodes:
            tried = (one.way for one in (*self._tried, *self._refined))
            return min((self._nothing_twice, *tried, *self._deeper), key=lambda way: way.peak_bytes)

    def _list_tried(self) -> Iterator[list[_Tried]]:
        """To try more takes time: only where nothing of the first fits."""
        yield self._tried
        yield self._refined

    @cached_property
    def _stash(self) -> Stash:
        return Stash(run_on_paper(self._nodes))

    @cached_property
    def _tried(self) -> list[_Tried]:
        tried = (self._try(cuts, keep) for cuts, keep in self._list_ways())
        return [one for one in tried if one.groups]

    @cached_property
    def _refined(self) -> list[_Tried]:
        whole = [one for one in self._tried if not one.keeps_expensive]
        ranked = sorted(whole, key=lambda one: one.way.peak_bytes)
        return [finer for one in ranked[:_MOST_REFINED] for finer in self._refine(one)]

    @cached_property
    def _nothing_twice(self) -> Recomputation:
        return self._sum_up((), self._stash.order.peak_bytes)

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
        return _Tried(cuts, keep_expensive, groups, self._weigh(groups))

    def _refine(self, tried: _Tried) -> Iterator[_Tried]:
        """With more cuts, each in what is computed again when most memory is in use."""
        for _ in range(_MORE_CUTS):
            edit = tried.way.edits[-1]
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
            least = min(finer, key=lambda one: one.way.peak_bytes, default=tried)
            if least.way.peak_bytes >= tried.way.peak_bytes:
                return
            tried = least
            yield tried

    def _weigh(self, groups: Sequence[Group]) -> Recomputation:
        edit = make_edit(self._stash, groups)
        with editing(self._nodes, edit) as edited:
            peak = run_on_paper(edited).peak_bytes
        return self._sum_up((edit,), peak)

    @cached_property
    def _deeper(self) -> list[Recomputation]:
        """The ways that take least, and at the peaks that are left, part of that once more."""
        every = [one.way for one in (*self._tried, *self._refined)]
        ranked = sorted(every, key=lambda way: way.peak_bytes)
        return [deeper for way in ranked[:_MOST_DEEPER] for deeper in self._go_deeper(way)]

    def _go_deeper(self, way: Recomputation) -> Iterator[Recomputation]:
        for level in range(2, _MOST_LEVELS + 1):
            deeper = [
                one for one in self._list_deeper(way, level) if one.peak_bytes < way.peak_bytes
            ]
            if not deeper:
                return
            yield from deeper
            way = min(deeper, key=lambda one: one.peak_bytes)

    def _list_deeper(self, way: Recomputation, level: int) -> Iterator[Recomputation]:
        added = way.edits[len(self._arranged) :]
        with editing_all(self._nodes, added) as edited:
            stash = Stash(run_on_paper(edited))
            for number, keep_expensive in _DEEPER:
                groups = find_groups(
                    stash, stash.choose_cuts(number), keep_expensive=keep_expensive
                )
                edit = make_edit(stash, groups, f"{NAME}_{level}")
                with editing(edited, edit) as again:
                    peak = run_on_paper(again).peak_bytes
                yield self._sum_up((*added, edit), peak)

    def _do_less(self, tried: _Tried, most_bytes: int) -> Recomputation:
        """Without the groups that cost most for what they save, as far as it still fits."""
        way = tried.way
        ranked = sorted(tried.groups, key=lambda one: one.expense / max(one.saved_bytes, 1))
        low, high = 1, len(ranked)
        while low < high:
            middle = (low + high) // 2
            less = self._weigh(ranked[:middle])
            if less.peak_bytes <= most_bytes:
                way, high = less, middle
            else:
                low = middle + 1
        return way

    def _sum_up(self, added: tuple[Edit, ...], peak_bytes: int) -> Recomputation:
        again = sum(expense(edit.copies[copy]) for edit in added for copy in edit.groups)
        edits = (*self._arranged, *added)
        return Recomputation(edits, peak_bytes, self._whole_bytes, again / self._expense)
