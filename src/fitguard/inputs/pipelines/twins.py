"""The twin of a dataset: the same elements, and nothing of the original moves when it is read.

Sources are taken as they are. Everything behind them is built once more, without shuffles, caches,
snapshots and prefetches, on functions that are traced already. What the functions themselves change
(variables, Python objects) is listed, for the reader to put back.
"""

import dataclasses
from typing import Any

from fitguard.inputs.pipelines import classes
from fitguard.inputs.pipelines.classes import class_of
from fitguard.inputs.pipelines.functions import Function, functions_of
from fitguard.inputs.pipelines.opaque import rebuilt
from fitguard.inputs.pipelines.passes import TRANSPARENT, repeats
from fitguard.inputs.pipelines.rebuilding import REBUILDERS, Stage, rebuild

_REPEATS = ("_RepeatDataset", "_ShuffleAndRepeatDataset")


class Unreadable(Exception):
    """Why a dataset cannot be read without a trace, in one sentence."""


@dataclasses.dataclass
class Twin:
    """A dataset for reading.

    Args:
        once: Whether repeats are left out, and the batches behind them made full.
        variables: The handles of variables that functions in it can reach.
        python: The Python functions that run in it.
    """

    once: bool = False
    variables: list[Any] = dataclasses.field(default_factory=list)
    python: list[Any] = dataclasses.field(default_factory=list)
    _made: dict[tuple[int, bool], Any] = dataclasses.field(default_factory=dict)

    def variant(self, dataset: Any, tail: bool = True) -> Any:
        """The variant of the twin of `dataset`.

        Args:
            tail: Whether only stages lie behind it that do not care where a pass ends.

        Raises:
            Unreadable: where a stage cannot be built once more, or not be undone.
        """
        key = (id(dataset), tail)
        if key not in self._made:
            self._made[key] = self._make(dataset, tail)
        return self._made[key]

    def _make(self, dataset: Any, tail: bool) -> Any:
        kind = class_of(dataset)
        if kind in classes.WRAPPERS and classes.inner_of(dataset) is not None:
            return self.variant(classes.inner_of(dataset), tail)
        if kind in classes.LEFT_OUT or (self.once and tail and kind in _REPEATS):
            return self.variant(classes.inputs_of(dataset)[0], tail)
        if kind in classes.SOURCES:
            return self._source(dataset)
        if kind in REBUILDERS:
            return self._rebuilt(dataset, tail)
        if kind == "_VariantDataset":
            return self._opaque(dataset._variant_tensor)
        raise Unreadable(f"It has a stage of a kind that is not known ({kind}).")

    def _source(self, dataset: Any) -> Any:
        for function in functions_of(dataset):
            self._admit(function)
        if getattr(dataset, "_rerandomize", False):
            import tensorflow as tf

            return tf.raw_ops.RandomDataset(
                seed=dataset._seed, seed2=dataset._seed2, **dataset._flat_structure
            )
        return dataset._variant_tensor

    def _rebuilt(self, dataset: Any, tail: bool) -> Any:
        functions = list(functions_of(dataset))
        captured = {name: self._captured(f) for name, f in self._named(dataset, functions)}
        inside = tail and class_of(dataset) in TRANSPARENT
        inputs = [self.variant(source, inside) for source in classes.inputs_of(dataset)]
        stage = Stage(
            dataset,
            inputs,
            captured,
            parallel=all(function.moves_nothing for function in functions),
            drop_remainder=self.once and tail and repeats(dataset),
        )
        try:
            return rebuild(stage)
        except AttributeError as error:
            raise Unreadable(
                f"A stage of it ({class_of(dataset)}) is made in another way in this TensorFlow "
                f"({error})."
            ) from error

    def _named(self, dataset: Any, functions: list[Function]) -> list[tuple[str, Function]]:
        by_concrete = {id(function.concrete): function for function in functions}
        named = []
        for attribute, wrapper in vars(dataset).items():
            function = by_concrete.get(id(getattr(wrapper, "function", None)))
            if function is not None:
                named.append((attribute, function))
        for function in functions:
            self._admit(function)
        return named

    def _admit(self, function: Function) -> None:
        if function.obstacle:
            raise Unreadable(function.obstacle)
        self.variables.extend(function.variables)
        self.python.extend(function.python)

    def _captured(self, function: Function) -> list[Any]:
        captured = list(function.captured)
        for place in function.datasets:
            captured[place] = self._opaque(captured[place])
        return captured

    def _opaque(self, variant: Any) -> Any:
        found = rebuilt(variant)
        if found.obstacle:
            raise Unreadable(found.obstacle)
        self.python.extend(found.python)
        return found.variant
