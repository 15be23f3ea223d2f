"""The stages of a dataset: one description for all who look into a pipeline."""

import contextlib
import functools
from typing import Any

from fitguard.contract.datasets.classes import NAMES, READERS, SOURCES, VARIANT
from fitguard.contract.datasets.functions import Function, functions_of

_LONGEST_COUNT = 2**62


class DatasetStage:
    """One transformation of a pipeline, or a source; nothing of it runs.

    What another TensorFlow keeps elsewhere is None.

    Attributes:
        dataset: The `tf.data.Dataset`.
        kind: Its class.
    """

    def __init__(self, dataset: Any) -> None:
        self.dataset = _without_adapter(dataset)
        self.kind = type(self.dataset).__name__

    @functools.cached_property
    def name(self) -> str:
        """As the user calls it: `map`, `shuffle`; the class where that is not known."""
        if self._is_from_generator():
            return "from_generator"
        return "enumerate" if self._is_enumerate() else NAMES.get(self.kind, self.kind)

    @functools.cached_property
    def inputs(self) -> list["DatasetStage"]:
        """Those that it reads."""
        try:
            return [DatasetStage(source) for source in self.inner._inputs()]
        except AttributeError:  # then it is opaque
            return []

    @property
    def inner(self) -> Any:
        """What a reader of files stands around; of all others, the dataset itself."""
        return self.dataset._impl if self.kind in READERS else self.dataset

    @property
    def opaque(self) -> bool:
        """Whether it cannot be looked into."""
        return self.kind not in NAMES or (self.kind not in SOURCES and not self.inputs)

    @functools.cached_property
    def functions(self) -> dict[str, Function]:
        """Its traced functions, by attribute; not those of its inputs."""
        return functions_of(self.dataset)

    def pipeline(self) -> list["DatasetStage"]:
        """All stages that it is made of, each once: sources first, itself last."""
        found: dict[int, DatasetStage] = {}
        waiting = [self]
        while waiting:
            stage = waiting[-1]
            # What `from_generator` reads is no part of what the user made.
            inputs = [] if stage.name == "from_generator" else stage.inputs
            open_inputs = [source for source in inputs if id(source.dataset) not in found]
            waiting.extend(reversed(open_inputs))
            if not open_inputs:
                waiting.pop()
                found.setdefault(id(stage.dataset), stage)
        return list(found.values())

    @functools.cached_property
    def elements(self) -> int | None:
        """How many it yields; -1 for endless, None where TensorFlow does not know."""
        try:
            count = int(self.dataset.cardinality())
        except Exception:  # a dataset of another make
            return None
        return None if count == -2 else count

    @property
    def buffer_size(self) -> int | None:
        # A reader of files has a buffer of bytes under the same name.
        buffers = self.name in ("shuffle", "prefetch", "shuffle_and_repeat")
        return self._number("_buffer_size") if buffers else None

    @property
    def batch_size(self) -> int | None:
        return self._number("_batch_size", "_batch_size_t", "_batch_sizes")

    @property
    def drop_remainder(self) -> bool | None:
        value = self._number("_drop_remainder", "_drop_remainder_t")
        return None if value is None else bool(value)

    @property
    def count(self) -> int | None:
        """Of a repeat, take, skip or window."""
        return self._number("_count", "_size")

    @property
    def shuffles(self) -> bool:
        return "shuffle" in self.name

    @property
    def draws(self) -> bool:
        """Whether it draws random numbers by itself, without a function."""
        return self.shuffles or self.name == "random"

    @property
    def reshuffles(self) -> bool | None:
        """Whether each iteration has another order."""
        if self.name == "shuffle_and_repeat":
            return True
        known = self.shuffles and hasattr(self.dataset, "_reshuffle_each_iteration")
        return self.dataset._reshuffle_each_iteration is not False if known else None

    @property
    def seeded(self) -> bool | None:
        """Whether what it draws has a seed, its own or the global one."""
        seeds = [self._number(name) for name in ("_seed", "_seed2")] if self.draws else [None]
        return None if None in seeds else any(seeds)

    @property
    def filename(self) -> str | None:
        """Of a cache, empty for one in memory, or a snapshot."""
        if self.name not in ("cache", "snapshot"):
            return None
        value: Any = getattr(self.dataset, "_filename", getattr(self.dataset, "_path", None))
        with contextlib.suppress(Exception):  # a symbolic tensor has no value
            value = value.numpy() if hasattr(value, "numpy") else value
            return value.decode(errors="replace") if isinstance(value, bytes) else str(value)
        return None

    @property
    def tensors(self) -> list[Any]:
        """The arrays of a source, in the order of its flat elements."""
        held = getattr(self.dataset, "_tensors", None)
        return list(held) if isinstance(held, list | tuple) else []

    @property
    def runs_ahead(self) -> bool:
        """Whether it works in threads of its own, ahead of who reads it."""
        return "Parallel" in type(self.inner).__name__

    @property
    def calls_at_once(self) -> bool:
        """Whether several calls of its function run at once."""
        calls = self._number("_num_parallel_calls", "_num_parallel_calls_t")
        return self.runs_ahead if calls is None else calls != 1

    def reorders(self, allowed: bool) -> bool:
        """Whether it may give elements in another order than it gets them.

        Args:
            allowed: Whether the options of the dataset allow it to stages that do not say.
        """
        deterministic = getattr(self.inner, "_deterministic", "default")
        by_option = allowed and deterministic == "default" and self.calls_at_once
        return deterministic == "false" or by_option

    def _number(self, *attributes: str) -> int | None:
        found = (number(getattr(self.inner, name, None)) for name in attributes)
        return next((value for value in found if value is not None), None)

    def _is_from_generator(self) -> bool:
        """Whether it is the stage that `from_generator` ends with."""
        function = getattr(getattr(self.dataset, "_map_func", None), "_func", None)
        return (
            self.kind == "_FlatMapDataset"
            and getattr(function, "__name__", "") == "flat_map_fn"
            and "from_generator" in str(getattr(function, "__qualname__", ""))
        )

    def _is_enumerate(self) -> bool:
        """Whether it is the stage that `enumerate` ends with: endless numbers, and the input."""
        return self.kind == "_ZipDataset" and len(self.inputs) == 2 and self.inputs[0]._counts()

    def _counts(self) -> bool:
        spec = getattr(self.dataset, "element_spec", None)
        return (
            self.kind in (VARIANT, "_RangeDataset")
            and getattr(spec, "shape", None) == ()
            and getattr(getattr(spec, "dtype", None), "name", "") == "int64"
            and (self.elements == -1 or (self.elements or 0) > _LONGEST_COUNT)
        )


def number(tensor: Any) -> int | None:
    """An integer that a stage holds as a tensor."""
    try:
        return int(tensor)
    except (TypeError, ValueError):
        return None


def _without_adapter(dataset: Any) -> Any:
    """What a dataset of `tf.compat.v1` stands around."""
    while any(parent.__name__ == "DatasetV1Adapter" for parent in type(dataset).__mro__):
        dataset = dataset._dataset
    return dataset
