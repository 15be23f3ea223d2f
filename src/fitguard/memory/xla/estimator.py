"""The memory of a step that XLA compiles, at any batch size."""

import math
from dataclasses import dataclass, field

from fitguard.memory.estimate import Estimate, Estimator
from fitguard.memory.scopes import Scopes
from fitguard.memory.training import Training
from fitguard.memory.xla.accounting import Accounting
from fitguard.memory.xla.autotuning import trial_bytes
from fitguard.memory.xla.compiled_step import CompiledStep
from fitguard.memory.xla.graph import Graph
from fitguard.memory.xla.reading import NotAlike, read_graph
from fitguard.memory.xla.sizes import evaluate
from fitguard.memory.xla.timeline import Timeline
from fitguard.memory.xla.training_variables import TrainingVariables
from fitguard.memory.xla.uncertainty import (
    BRANCHED,
    FIRM,
    FIRST_STEP,
    LOOPED,
    LOOSE,
    Uncertainty,
)
from fitguard.memory.xla.unlike_batches import UnlikeBatches
from fitguard.schema.plan import Breakdown, Curve, Mode

BATCHES = (11, 13)
"""Where the step is lowered: small, so that nothing is large; prime, so that they are no size of
the model by accident."""


def xla_estimator(training: Training) -> Estimator:
    """Lowers the step at two batch sizes; `at` then takes well below a second for any other.

    Raises:
        NotCompilable: XLA cannot compile the step, so it would fail on a GPU too.
    """
    step = CompiledStep(training)
    modules = step.module(BATCHES[0]), step.module(BATCHES[1])
    try:
        graph = read_graph(modules, BATCHES)
    except NotAlike:
        return UnlikeBatches(lambda batch: _alone(training, step, batch))
    variables = TrainingVariables.of(training.model, step.variables())
    return XlaEstimator(training, graph, variables, _uncertainty(graph))


def _uncertainty(graph: Graph) -> Uncertainty:
    inner = [operation for operation in graph.operations if operation.bodies]
    if not inner:
        return FIRM
    return LOOPED if any(operation.opcode == "while" for operation in inner) else BRANCHED


def _alone(training: Training, step: CompiledStep, batch: int) -> "XlaEstimator":
    """An estimator that knows one batch size only."""
    module = step.module(batch)
    graph = read_graph((module, module), (batch, batch + 1))
    return XlaEstimator(
        training, graph, TrainingVariables.of(training.model, step.variables()), LOOSE
    )


@dataclass
class XlaEstimator:
    """Answers from one graph whose sizes follow the batch.

    Args:
        variables: What stays in memory between the steps.
        uncertainty: How far the answer may be off.
    """

    training: Training
    graph: Graph
    variables: TrainingVariables
    uncertainty: Uncertainty
    mode: Mode = "xla"
    _timelines: dict[int, Timeline] = field(default_factory=dict)

    def __post_init__(self) -> None:
        scopes = (operation.scope for operation in self.graph.operations)
        self._scopes = Scopes(self.training.model, scopes)

    def at(self, batch_size: int, *, detail: bool = False) -> Estimate:
        """See `Estimator`."""
        timeline = self._timeline(batch_size)
        inputs = self._input_bytes(batch_size)
        constant = self.variables.weights + self.variables.optimizer + inputs
        temporary = timeline.peak.bytes + count_kept_copy_bytes(self.graph, batch_size)
        shared = self.variables.shared_zeros
        required = self.uncertainty.estimate_required(constant, shared, temporary)
        before = constant - (self.variables.optimizer - shared if shared else 0)
        trial = before + trial_bytes(self.graph, batch_size)
        accounting = Accounting(timeline, self._scopes, self.variables, constant)
        layers = accounting.layers(timeline.peak) if detail else ()
        return Estimate(
            required=required,
            comfortable=self.uncertainty.estimate_comfortable(required, trial),
            breakdown=self._breakdown(required.likely, accounting, inputs),
            layers=layers,
            curve=accounting.curve(timeline.instants(), layers) if detail else Curve(),
            reasons=(*self.uncertainty.reasons, *((FIRST_STEP,) if shared else ())),
        )

    def _timeline(self, batch_size: int) -> Timeline:
        """Kernels and their order are worked out anew only for a batch of another magnitude."""
        magnitude = 4 ** round(math.log(batch_size, 4))
        if magnitude not in self._timelines:
            self._timelines[magnitude] = Timeline(self.graph, magnitude)
        return self._timelines[magnitude].at(batch_size)

    def _input_bytes(self, batch_size: int) -> int:
        import tensorflow as tf

        specs = tf.nest.flatten(self.training.specs(batch_size))
        return sum(int(spec.shape.num_elements()) * int(spec.dtype.size) for spec in specs)

    def _breakdown(self, likely: int, accounting: Accounting, inputs: int) -> Breakdown:
        peak = accounting.timeline.peak
        gradients = accounting.gradients(peak)
        activations = peak.bytes - peak.inside - gradients
        return Breakdown(
            weights=self.variables.weights,
            optimizer=self.variables.optimizer,
            gradients=gradients,
            activations=activations,
            workspace=peak.inside,
            input=inputs,
            slack=likely - accounting.constant - peak.bytes,
        )


def count_kept_copy_bytes(graph: Graph, batch: int) -> int:
    """Of the variables that are overwritten while rows of them are still looked up.

    The lookup is fused into kernels that run late, so the old rows must stay: seen on a H200 for
    the embedding of a transformer, with Adam and with SGD.
    """
    overwritten = {graph.parameters[parameter] for parameter in graph.aliases.values()}
    looked_up = {
        operation.operands[0] for operation in graph.operations if operation.opcode == "gather"
    }
    return sum(
        evaluate(graph.values[value].bytes, batch) for value in overwritten.intersection(looked_up)
    )
