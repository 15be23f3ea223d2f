"""The Python state of one training: read for a snapshot, and written in another process."""

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

import numpy as np

from fitguard.contract import optimizers
from fitguard.contract.libraries import is_a
from fitguard.state.graph import Graph, Node, TooMuch
from fitguard.state.numbers import Variables, digest_in
from fitguard.state.objects import Skipped
from fitguard.state.picture import (
    Arrays,
    Entries,
    Holder,
    changes,
    differences,
    find_changed_opaque,
    find_heaviest,
    leads_to,
    list_tensors,
    read_arrays,
    read_entries,
    some_of,
    too_large,
    without_the_same,
    write_entries,
)
from fitguard.state.values import NotPlain, decode, encode


class Keeper:
    """Keeps all that can be reached from some objects.

    Args:
        roots: Gives them, by name.
        skipped: Attributes of a callback that are kept elsewhere; None for all of them.
        without: Gives objects, by id, that are kept elsewhere.

    Attributes:
        then: The state when the training step was made.
        lost: What had changed when the state was last read, and is not in it.
        then_arrays: The small arrays in it.
        unkept: Says what could be reached then and cannot be kept.
        heaviest: What held most in tensors when the state was last read.
    """

    def __init__(
        self,
        roots: Callable[[], Mapping[str, Any]],
        *,
        skipped: Skipped = lambda _: (),
        without: Callable[[], Collection[int]] = tuple,
    ) -> None:
        self._roots = roots
        self._skipped = skipped
        self._without = without
        self._known: dict[int, Node] = {}
        self.then: Entries = {}
        self.unkept: dict[str, None] = {}
        self.then_arrays: Arrays = {}
        self.lost: list[str] = []
        self.heaviest: Holder | None = None
        self._too_much = False

    @property
    def known_ids(self) -> Collection[int]:
        """Of the objects that it keeps."""
        return self._known.keys()

    def begin(self) -> list[str]:
        """The training step is about to be made; sentences on what cannot be kept."""
        graph = self._graph()
        self._known = dict(graph.by_id)
        self.then = read_entries(graph)
        self.unkept = graph.unkept
        self.then_arrays = read_arrays(graph, self.then, self.then)
        if self._too_much:
            return [
                "More Python objects than fitguard looks at can be reached from the model and its "
                "callbacks: what they remember is not kept. A large dict or list of objects that "
                "training does not need should not be held by them."
            ]
        return [
            f"{said}: that cannot be kept, so after an interruption the result may differ. Plain "
            "numbers, lists, dicts and seeded generators can be kept."
            for said in graph.unkept
        ]

    def read(self) -> tuple[dict[str, Any], Arrays]:
        """The state now, as JSON and arrays."""
        changed, arrays = self.read_changes()
        return {"then": self.then, **changed}, {**self.then_arrays, **arrays}

    def read_changes(self) -> tuple[dict[str, Any], Arrays]:
        """What has changed since `then`, for a process that has the same `then` by itself."""
        graph = self._graph()
        present = read_entries(graph)
        now = changes(present, self.then)
        gone = [way for way in self.then if way not in present]
        built = dict(_collect_build_configs(graph))
        self.heaviest = find_heaviest(graph, present)
        arrays = read_arrays(graph, now, self.then)
        known = {way: entry for way, entry in now.items() if way in self.then}
        large = (f"{label} (too large for a snapshot)" for label in too_large(known, arrays))
        self.lost = [*find_changed_opaque(now, self.then), *large]
        return {"now": now, "gone": gone, "built": built}, arrays

    def write_changes(
        self, changed: Mapping[str, Any], arrays: Mapping[str, np.ndarray]
    ) -> list[str]:
        """Bring all to what it was when `read_changes` read it; what is not so in the end."""
        return self.write_now({"then": self.then, **changed}, {**self.then_arrays, **arrays})

    def write_then(self, document: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
        """Before the training step is made: bring all to what it was then."""
        self.then = dict(document["then"])
        now = {**self.then, **document["now"]}
        digests = {digest for entry in self.then.values() if (digest := digest_in(entry))}
        digests.update(
            name for entry in self.then.values() for name in list_tensors(entry["state"])
        )
        self.then_arrays = {name: arrays[name] for name in digests & arrays.keys()}
        self._write(without_the_same(self.then, now), arrays, {})

    def write_now(self, document: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> list[str]:
        """Bring all to what it was when the snapshot was taken; what is not so in the end."""
        now = {**document["then"], **document["now"]}
        for way in document["gone"]:
            del now[way]
        wanted = without_the_same(now, document["then"])
        self._write(wanted, arrays, document.get("built", {}))
        return differences(wanted, read_entries(self._graph()))

    def _write(
        self, entries: Entries, arrays: Mapping[str, np.ndarray], built: Mapping[str, Any]
    ) -> None:
        graph = self._graph()
        self._known = {**graph.by_id, **self._known}
        missing = entries.keys() - graph.nodes.keys()
        if any(entries[way]["kind"] == Variables.name for way in missing):
            _build_models(graph, built)
            graph = self._graph()
        self._known |= write_entries(graph, entries, arrays)

    def _graph(self) -> Graph:
        """What can be reached; nothing at all where that is too much to look at."""
        how: Any = {"skipped": self._skipped, "without": self._without(), "known": self._known}
        try:
            return Graph({} if self._too_much else self._roots(), **how)
        except TooMuch:
            self._too_much = True
            return Graph({}, **how)


def only_changes(document: Mapping[str, Any]) -> dict[str, Any]:
    """What a keeper has read, without all that had not changed since the step was traced."""
    then, now = document["then"], document["now"]
    kept = {way: entry for way, entry in then.items() if way in now or leads_to(entry, now)}
    return {
        **document,
        "then": {way: some_of(entry, now.get(way, entry), now) for way, entry in kept.items()},
        "now": {way: some_of(entry, then.get(way), now) for way, entry in now.items()},
        "gone": [],
    }


def _collect_build_configs(graph: Graph) -> Iterator[tuple[str, Any]]:
    """Models, by their way, and what Keras needs to build them in another process."""
    for way, node in graph.nodes.items():
        if is_a(node.thing, "Model") and node.thing.built:
            try:
                yield way, encode(node.thing.get_build_config())
            except (NotPlain, AttributeError, TypeError, ValueError):
                yield way, None


def _build_models(graph: Graph, built: Mapping[str, Any]) -> None:
    """Those that callbacks train make their variables in the first step, and so do optimizers."""
    for way, config in built.items():
        model = graph.nodes[way].thing if way in graph.nodes else None
        if model is None:
            continue
        if not model.built and config is not None:
            model.build_from_config(decode(config))
        optimizer = getattr(model, "optimizer", None)
        if optimizer is not None and model.built:
            optimizers.build(optimizer, model.trainable_variables)
