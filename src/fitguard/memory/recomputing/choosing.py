"""The cheapest way that fits."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from fitguard.memory.graph.nodes import Node
from fitguard.memory.recomputing.edit import NAME, Edit, editing, make_edit
from fitguard.memory.recomputing.expense import expense
from fitguard.memory.recomputing.graph import run_on_paper
from fitguard.memory.recomputing.groups import Group, find_groups
from fitguard.memory.recomputing.segments import Stash

_CUTS = (0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32)
_AGAIN = f"{NAME}_twice"
_MOST_TWICE = 4
_MOST_REFINED = 2
_MORE_CUTS = 12


@dataclass(frozen=True, repr=False)
class Recomputation:
    """A step that computes some of its values twice.

    Args:
        edits: How its graph differs, one change after the other.
        peak_bytes: The most that is in use, without variables and the batch; of several devices, on
            the one that takes most.
        whole_bytes: The same of the step as it is.
        extra: What it takes longer, as a part of the step.
    """

    edits: tuple[Edit, ...]
    peak_bytes: int
    whole_bytes: int
    extra: float

    def __repr__(self) -> str:
        """Without the edits: they name every operation."""
        return f"Recomputation(share={self.share:.2f}, extra={self.extra:.2f}, count={self.count})"

    @property
    def share(self) -> float:
        """Of what the step takes as it is."""
        return self.peak_bytes / max(self.whole_bytes, 1)

    @property
    def count(self) -> int:
        """How many operations run twice."""
        return sum(len(edit.copies) for edit in self.edits)


@dataclass(frozen=True)
class _Tried:
    cuts: list[int]
    keeps_expensive: bool
    groups: list[Group]
    way: Recomputation


class Ways:
    """Tries ways on paper: what is cheap again everywhere, or all of it between more or fewer cuts,
    and inside of that, once more, what is cheap. Each is tried once, however often one is chosen.

    Attributes:
        whole_bytes: What the step takes as it is.
    """

    def __init__(self, nodes: Sequence[Node]) -> None:
        self._nodes = nodes
        order = run_on_paper(nodes)
        self._stash = Stash(order)
        self.whole_bytes = order.peak_bytes
        self._whole_expense = sum(map(expense, order.nodes)) or 1.0
        self._most_bytes = 0

    def choose(self, share: float, of_bytes: int = 0) -> Recomputation | None:
        """The cheapest that takes at most this share of what the step takes as it is.

        Where nothing takes so little, the one that takes least; None where nothing can be won.

        Args:
            of_bytes: What a whole step takes, where these are the nodes of another one, such as
                that of the last batch, which is smaller.
        """
        self._most_bytes = int(share * (of_bytes or self.whole_bytes))
        return self._keep_whole() or self._find_fitting() or self._find_least()

    @cached_property
    def _tried(self) -> list[tuple[Recomputation, list[Group]]]:
        tried = [self._try(cuts, keep) for cuts, keep in self._list_ways()]
        whole = [one for one in tried if one.groups and not one.keeps_expensive]
        for one in sorted(whole, key=lambda one: one.way.peak_bytes)[:_MOST_REFINED]:
            tried += self._refine(one)
        return [(one.way, one.groups) for one in tried if one.groups]

    def _keep_whole(self) -> Recomputation | None:
        """The step as it is, where that fits."""
        whole = self._sum_up((), self.whole_bytes)
        return whole if self._fits(whole) else None

    def _find_fitting(self) -> Recomputation | None:
        """The cheapest that fits, and of that no more than is needed."""
        fitting = [one for one in self._tried if self._fits(one[0])]
        if fitting:
            way, groups = min(fitting, key=lambda one: one[0].extra)
            return self._do_less(way, groups)
        twice = [way for way in self._twice if self._fits(way)]
        return min(twice, key=lambda way: way.extra, default=None)

    def _find_least(self) -> Recomputation | None:
        """The one that takes least."""
        ways = [*(way for way, _ in self._tried), *self._twice]
        least = min(ways, key=lambda way: way.peak_bytes, default=None)
        return least if least is not None and least.peak_bytes < self.whole_bytes else None

    def _fits(self, way: Recomputation) -> bool:
        return way.peak_bytes <= self._most_bytes

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
            (edit,) = tried.way.edits
            with editing(self._nodes, edit) as edited:
                order = run_on_paper(edited)
            again = (
                node for node in reversed(order.nodes[: order.peak + 1]) if node in edit.copies
            )
            last = next(again, None)
            if last is None:
                return
            places = [self._stash.places[node] for node in edit.groups[last].nodes]
            cut = self._stash.choose_cut_between(min(places), max(places))
            if cut is None or cut in tried.cuts:
                return
            finer = self._try(sorted([*tried.cuts, cut]), keep_expensive=False)
            if finer.way.peak_bytes >= tried.way.peak_bytes:
                return
            tried = finer
            yield tried

    def _weigh(self, groups: Sequence[Group]) -> Recomputation:
        edit = make_edit(self._stash, groups)
        with editing(self._nodes, edit) as edited:
            peak = run_on_paper(edited).peak_bytes
        return self._sum_up((edit,), peak)

    @cached_property
    def _twice(self) -> list[Recomputation]:
        """The ways that take least, and at the peak that is left, what is cheap there again."""
        ranked = sorted((way for way, _ in self._tried), key=lambda way: way.peak_bytes)
        return [self._add_cheap(way) for way in ranked[:_MOST_TWICE]]

    def _add_cheap(self, way: Recomputation) -> Recomputation:
        (edit,) = way.edits
        with editing(self._nodes, edit) as edited:
            stash = Stash(run_on_paper(edited))
            second = make_edit(stash, find_groups(stash, [], keep_expensive=True), _AGAIN)
            with editing(edited, second) as twice:
                peak = run_on_paper(twice).peak_bytes
        return self._sum_up((edit, second), peak)

    def _do_less(self, way: Recomputation, groups: Sequence[Group]) -> Recomputation:
        """Without the groups that cost most for what they save, as far as it still fits."""
        ranked = sorted(groups, key=lambda group: group.expense / max(group.saved_bytes, 1))
        low, high = 1, len(ranked)
        while low < high:
            middle = (low + high) // 2
            less = self._weigh(ranked[:middle])
            if self._fits(less):
                way, high = less, middle
            else:
                low = middle + 1
        return way

    def _sum_up(self, edits: tuple[Edit, ...], peak_bytes: int) -> Recomputation:
        again = sum(expense(node) for edit in edits for node in edit.copies)
        return Recomputation(edits, peak_bytes, self.whole_bytes, again / self._whole_expense)
