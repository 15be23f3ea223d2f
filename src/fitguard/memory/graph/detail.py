"""What fills the memory at the dearest moment: by category, by layer, and over the step."""

from collections import Counter
from typing import Any

from fitguard.memory.graph.allocator import round_size
from fitguard.memory.graph.buffers import Buffer
from fitguard.memory.graph.owners import Owners
from fitguard.memory.graph.step import Run, Step
from fitguard.memory.training import Training
from fitguard.schema.plan import Breakdown, Curve, LayerCost, Moment

MOST_MOMENTS = 400
MOST_LAYERS = 8


def build_details(
    training: Training, step: Step, run: Run, batch_size: int, required_bytes: int
) -> dict[str, Any]:
    """Breakdown, layers and curve of an estimate."""
    owners = Owners(training, step.nodes)
    story = _Story(run, batch_size, owners)
    held = story.at_peak
    by_category: Counter[str] = Counter()
    for buffer in held:
        by_category[owners.category(buffer)] += buffer.size.at(batch_size)
    by_category["weights"] += step.beside.factor
    slack = max(required_bytes - sum(by_category.values()), 0)
    layers = _layers(held, owners, batch_size)
    return {
        "breakdown": Breakdown(slack=slack, **by_category),
        "layers": layers,
        "curve": story.curve(story.dearest_layers()),
    }


def _layers(held: set[Buffer], owners: Owners, batch_size: int) -> tuple[LayerCost, ...]:
    sizes: dict[str, Counter[str]] = {}
    grows: Counter[str] = Counter()
    for buffer in held:
        layer, size = owners.layer(buffer), buffer.size.at(batch_size)
        if not layer:
            continue
        sizes.setdefault(layer, Counter())[f"{owners.category(buffer)}_bytes"] += size
        grows[layer] += buffer.size.at(batch_size + 1) - size
    costs = [
        LayerCost(
            name=name,
            kind=owners.kind(name),
            bytes=sum(parts.values()),
            grows_bytes=grows[name],
            **{key: size for key, size in parts.items() if key != "input_bytes"},
        )
        for name, parts in sizes.items()
    ]
    return tuple(sorted(costs, key=lambda cost: (-cost.bytes, cost.name)))


class _Story:
    """Plays a step, and remembers what is held."""

    def __init__(self, run: Run, batch_size: int, owners: Owners) -> None:
        self.run, self.batch_size, self.owners = run, batch_size, owners
        self.start = {*run.variables, *run.inputs}
        self.at_peak, self.peak_event = self._peak()

    def _peak(self) -> tuple[set[Buffer], int]:
        current = most = sum(self._size(buffer) for buffer in self.start)
        peak = -1
        for index, (buffer, is_new, _) in enumerate(self.run.events):
            current += self._size(buffer) if is_new else -self._size(buffer)
            if current > most:
                most, peak = current, index
        held = set(self.start)
        for buffer, is_new, _ in self.run.events[: peak + 1]:
            (held.add if is_new else held.discard)(buffer)
        return held, peak

    def dearest_layers(self) -> list[str]:
        """Those that hold most at any one moment of the step."""
        held: Counter[str] = Counter()
        most: Counter[str] = Counter()
        for buffer in self.start:
            held[self.owners.layer(buffer)] += self._size(buffer)
        for buffer, is_new, _ in self.run.events:
            layer = self.owners.layer(buffer)
            held[layer] += self._size(buffer) if is_new else -self._size(buffer)
            most[layer] = max(most[layer], held[layer])
        return [layer for layer, _ in (most | held).most_common() if layer][:MOST_LAYERS]

    def curve(self, layers: list[str]) -> Curve:
        """The step at moments that are evenly spread, the peak among them."""
        events, places = self.run.events, {name: place for place, name in enumerate(layers)}
        chosen = set(range(0, len(events), max(1, len(events) // MOST_MOMENTS))) | {self.peak_event}
        total, held = 0, [0] * len(layers)
        for buffer in self.start:
            total += self._add(buffer, 1, held, places)
        moments: list[Moment] = []
        peak = 0
        for index, (buffer, is_new, node) in enumerate(events):
            total += self._add(buffer, 1 if is_new else -1, held, places)
            if index not in chosen or node is None:
                continue
            if index == self.peak_event:
                peak = len(moments)
            moments.append(
                Moment(
                    bytes=total,
                    phase=self.owners.phase(node),
                    layer=self.owners.layer_of_node(node),
                    operation=node.op,
                    held=tuple(held),
                )
            )
        return Curve(tuple(layers), tuple(moments), peak)

    def _add(self, buffer: Buffer, sign: int, held: list[int], places: dict[str, int]) -> int:
        size = sign * self._size(buffer)
        place = places.get(self.owners.layer(buffer))
        if place is not None:
            held[place] += size
        return size

    def _size(self, buffer: Buffer) -> int:
        return round_size(buffer.size.at(self.batch_size))
