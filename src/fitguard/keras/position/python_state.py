"""What reading the data changes in Python objects: index arrays, counters, generators, globals."""

import types
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from fitguard.contract.libraries import is_a
from fitguard.keras.position.sources import draws_without_seed
from fitguard.state.graph import Graph, TooMuch
from fitguard.state.keeper import Keeper
from fitguard.state.picture import too_large
from fitguard.state.values import decode, encode

MOST_BYTES = 64 << 20
"""An array that is larger is not kept in a snapshot."""
_FEW = 1000
_MOVED_BY_READING = ("random", "iterator")


class PythonState:
    """The state of all that a data source can reach, as JSON.

    Args:
        roots: The user's data object, or the functions that a pipeline calls; none where the data
            have no Python state.
        beside: Of other data: what both reach is kept there.

    Attributes:
        inexact: Why a resumed run may differ.
        sources: Random generators and iterators: reading ahead moves them, so that they are as they
            should be only after the way back.
    """

    def __init__(self, roots: Mapping[str, Any], beside: "PythonState | None" = None) -> None:
        self.inexact: list[str] = []
        self._said: set[str] = set()
        without = {*beside.reached} if beside is not None else set()
        try:
            reached = Graph(roots, without=without)
        except TooMuch:
            roots, reached = {}, Graph({})
            self.inexact.append(
                "The training data hold more Python objects than fitguard can save: a resumed run "
                "may see other batches. Hold samples in arrays, not in objects."
            )
        without |= _find_compiled_models(reached)
        self.sources = _sources(reached)
        self.inexact.extend(_chances(reached))
        self._is_empty = not roots
        self._keeper = Keeper(lambda: roots, without=lambda: without)
        self._keeper.begin()
        self._small = {way: one for way, one in self._keeper.then.items() if _is_small(one)}
        self._small_arrays = {name: encode(one) for name, one in self._keeper.then_arrays.items()}
        self.inexact.extend(
            f"{said}: fitguard cannot save that, so a resumed run may see other batches. Keep a "
            "seed and a count instead, and make it from them."
            for said in self._keeper.unkept
        )

    @property
    def reached(self) -> Collection[int]:
        """The objects that it keeps, by id."""
        return self._keeper.known_ids

    def read(self) -> dict[str, Any]:
        """What has changed since it was made, and all that is small: it may have had no seed."""
        if self._is_empty:
            return {}
        changed, arrays = self._keeper.read_changes()
        kept = {name: encode(one) for name, one in arrays.items() if one.nbytes <= MOST_BYTES}
        self._say_what_is_too_large(changed["now"], kept)
        then = {way: one for way, one in self._small.items() if way not in changed["gone"]}
        now = {**then, **changed["now"]}
        return {"now": now, "gone": changed["gone"], "arrays": {**self._small_arrays, **kept}}

    def write(self, saved: Mapping[str, Any]) -> None:
        """Bring all to what it was when `read` gave this, in a process that began alike."""
        if self._is_empty:
            return
        changed = {"now": saved.get("now", {}), "gone": saved.get("gone", [])}
        arrays = {name: decode(one) for name, one in saved.get("arrays", {}).items()}
        differ = self._keeper.write_changes(changed, arrays)
        self._say(
            f"The training data use {label}, which fitguard could not restore to what it was "
            "before the interruption: a resumed run may see other batches."
            for label in differ
        )

    def _say_what_is_too_large(self, now: Mapping[str, Any], kept: Mapping[str, Any]) -> None:
        self._say(
            f"The training data use {label}, which changes and is too large to save: a resumed run "
            "may see other batches."
            for label in too_large(now, kept)
        )

    def _say(self, sentences: Iterable[str]) -> None:
        new = [sentence for sentence in sentences if sentence not in self._said]
        self._said.update(new)
        self.inexact.extend(new)


def reaches_sources(functions: Sequence[Any]) -> bool:
    """Whether what these functions give depends on the order in which they are called."""
    try:
        return bool(_sources(Graph({str(number): one for number, one in enumerate(functions)})))
    except TooMuch:
        return False


def _sources(reached: Graph) -> list[Any]:
    nodes = reached.nodes.values()
    return [node.thing for node in nodes if node.kind.name in _MOVED_BY_READING]


def _chances(reached: Graph) -> Iterator[str]:
    """Functions that draw what no snapshot can hold; what makes objects has drawn before."""
    for way, node in reached.nodes.items():
        is_function = isinstance(node.thing, types.FunctionType) and ".class" not in way
        unseeded = draws_without_seed(node.thing) if is_function else ""
        if unseeded:
            yield (
                f"The Python function {node.thing.__qualname__} reads the training data and uses "
                f"{unseeded}, which differs in each process: a resumed run may see other batches. "
                "Give it a seed."
            )


def _is_small(entry: Mapping[str, Any]) -> bool:
    """Whether it is kept even where it has not changed; else the script must make it again."""
    state = entry["state"]
    items = state.get("items", ()) if isinstance(state, dict) else state
    return not isinstance(items, list) or len(items) <= _FEW


def _find_compiled_models(graph: Graph) -> set[int]:
    """Models that are trained, or were: their variables are no state of the data."""
    things = (node.thing for node in graph.nodes.values())
    return {id(one) for one in things if is_a(one, "Model") and getattr(one, "optimizer", None)}
