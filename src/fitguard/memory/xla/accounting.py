"""Who holds the memory: parts, layers, and the curve over the step."""

from collections import Counter
from dataclasses import dataclass

from fitguard.memory.scopes import Scopes
from fitguard.memory.xla.graph import Graph
from fitguard.memory.xla.sizes import evaluate
from fitguard.memory.xla.timeline import Instant, Timeline
from fitguard.memory.xla.training_variables import TrainingVariables
from fitguard.schema.plan import Curve, LayerCost, Moment

MOST_MOMENTS = 300
MOST_LAYERS = 8


@dataclass(frozen=True)
class Accounting:
    """The timeline of a step, told by layers.

    Args:
        constant: What is held all the time: variables and inputs.
    """

    timeline: Timeline
    scopes: Scopes
    variables: TrainingVariables
    constant: int

    @property
    def graph(self) -> Graph:
        return self.timeline.graph

    def gradients(self, instant: Instant) -> int:
        return sum(self._size(value) for value in instant.live if self.is_gradient(value))

    def is_gradient(self, value: int) -> bool:
        """Whether it is the gradient of a weight: of the backward pass, without the batch."""
        array = self.graph.values[value]
        backward = self._phase(value) == "backward"
        return backward and len(array.bytes) == 1 and len(array.dims) > 0

    def layers(self, instant: Instant) -> tuple[LayerCost, ...]:
        """What each layer holds at that moment, the dearest first."""
        gradients: Counter[str] = Counter()
        activations: Counter[str] = Counter()
        grows: Counter[str] = Counter()
        for value in instant.live:
            layer = self._layer(value)
            (gradients if self.is_gradient(value) else activations)[layer] += self._size(value)
            grows[layer] += self._growth(value)
        running = self.scopes.layer(self.graph.operations[instant.kernel.operation].scope)
        names = {*self.variables.by_layer, *gradients, *activations} - {""}
        costs = [
            _cost(
                name,
                kind=self.scopes.kinds.get(name, ""),
                weights=self.variables.by_layer.get(name, (0, 0))[0],
                optimizer=self.variables.optimizer_of(name),
                gradients=gradients[name],
                activations=activations[name],
                workspace=instant.inside if name == running else 0,
                grows=grows[name],
            )
            for name in sorted(names)
        ]
        return tuple(sorted((c for c in costs if c.bytes), key=lambda cost: -cost.bytes))

    def curve(self, instants: list[Instant], layers: tuple[LayerCost, ...]) -> Curve:
        """The memory over the step; the dearest moment is among those that are kept."""
        names = tuple(cost.name for cost in layers[:MOST_LAYERS])
        top = max(range(len(instants)), key=lambda index: instants[index].bytes)
        stride = -(-len(instants) // MOST_MOMENTS)
        kept = sorted({*range(0, len(instants), stride), top})
        moments = tuple(self._moment(instants[index], names) for index in kept)
        return Curve(names, moments, kept.index(top))

    def _moment(self, instant: Instant, names: tuple[str, ...]) -> Moment:
        operation = self.graph.operations[instant.kernel.operation]
        held: Counter[str] = Counter()
        for value in instant.live:
            held[self._layer(value)] += self._size(value)
        return Moment(
            bytes=self.constant + instant.bytes,
            phase=self.scopes.phase(operation.scope),
            layer=self.scopes.layer(operation.scope),
            operation=operation.opcode,
            held=tuple(held[name] + self._static(name) for name in names),
        )

    def _static(self, layer: str) -> int:
        return self.variables.by_layer.get(layer, (0, 0))[0] + self.variables.optimizer_of(layer)

    def _size(self, value: int) -> int:
        return self.timeline.sizes.get(value, 0)

    def _growth(self, value: int) -> int:
        size = self.graph.values[value].bytes
        batch = self.timeline.batch
        return evaluate(size, batch + 1) - evaluate(size, batch)

    def _scope(self, value: int) -> str:
        producer = self.graph.values[value].producer
        return "" if producer is None else self.graph.operations[producer].scope

    def _layer(self, value: int) -> str:
        return self.scopes.layer(self._scope(value))

    def _phase(self, value: int) -> str:
        return self.scopes.phase(self._scope(value))


def _cost(
    name: str,
    *,
    kind: str,
    weights: int,
    optimizer: int,
    gradients: int,
    activations: int,
    workspace: int,
    grows: int,
) -> LayerCost:
    return LayerCost(
        name=name,
        kind=kind,
        bytes=weights + optimizer + gradients + activations + workspace,
        weights_bytes=weights,
        optimizer_bytes=optimizer,
        gradients_bytes=gradients,
        activations_bytes=activations,
        workspace_bytes=workspace,
        grows_bytes=grows,
    )
