"""The twin of a dataset: the same elements, and nothing of the original moves when it is read.

Sources are taken as they are. Everything behind them is built once more, without shuffles, caches,
snapshots and prefetches, on functions that are traced already. What the functions themselves change
(variables, Python objects) is listed, for the reader to put back.
"""

import dataclasses
from typing import Any

from fitguard.contract.datasets.classes import LEFT_OUT, READERS, SOURCES, VARIANT
from fitguard.contract.datasets.functions import Function
from fitguard.contract.datasets.rebuilding import Remake, rebuild, source_variant
from fitguard.contract.datasets.stages import DatasetStage
from fitguard.inputs.pipelines.opaque import rebuild_opaque
from fitguard.inputs.pipelines.passes import REPEATS, TRANSPARENT, repeats


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

    def variant(self, stage: DatasetStage, tail: bool = True) -> Any:
        """The variant of the twin of a dataset.

        Args:
            stage: The last one of the dataset.
            tail: Whether only stages lie behind it that do not care where a pass ends.

        Raises:
            Unreadable: where a stage cannot be built once more, or not be undone.
        """
        key = (id(stage.dataset), tail)
        if key not in self._made:
            self._made[key] = self._make(stage, tail)
        return self._made[key]

    def _make(self, stage: DatasetStage, tail: bool) -> Any:
        if stage.kind == VARIANT:
            return self._opaque(source_variant(stage))
        if stage.opaque:
            raise Unreadable(f"It has a stage of a kind that is not known ({stage.kind}).")
        if stage.kind in READERS:
            return self.variant(DatasetStage(stage.inner), tail)
        if stage.kind in LEFT_OUT or (self.once and tail and stage.name in REPEATS):
            return self.variant(stage.inputs[0], tail)
        if stage.kind in SOURCES:
            self._admit(stage)
            return source_variant(stage)
        return self._rebuild(stage, tail)

    def _rebuild(self, stage: DatasetStage, tail: bool) -> Any:
        self._admit(stage)
        functions = stage.functions
        inside = tail and stage.name in TRANSPARENT
        remake = Remake(
            stage,
            inputs=[self.variant(source, inside) for source in stage.inputs],
            captured={name: self._rebuild_captures(held) for name, held in functions.items()},
            parallel=all(function.moves_nothing for function in functions.values()),
            full=self.once and tail and repeats(stage),
        )
        try:
            return rebuild(remake)
        except AttributeError as error:
            raise Unreadable(
                f"A stage of it ({stage.kind}) is made in another way in this TensorFlow ({error})."
            ) from error

    def _admit(self, stage: DatasetStage) -> None:
        for function in stage.functions.values():
            if function.obstacle:
                raise Unreadable(function.obstacle)
            self.variables.extend(function.variables)
            self.python.extend(function.python)

    def _rebuild_captures(self, function: Function) -> list[Any]:
        captured = list(function.captured)
        for place in function.datasets:
            captured[place] = self._opaque(captured[place])
        return captured

    def _opaque(self, variant: Any) -> Any:
        found = rebuild_opaque(variant)
        if found.obstacle:
            raise Unreadable(found.obstacle)
        self.python.extend(found.python)
        return found.variant
