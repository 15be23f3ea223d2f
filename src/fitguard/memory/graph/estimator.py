"""The memory of a step in graph mode, at any batch size."""

from dataclasses import dataclass, field, replace
from functools import cached_property

from fitguard.knowledge.gpus import USUAL_CAPABILITY
from fitguard.memory.estimate import Estimate
from fitguard.memory.graph import workspace
from fitguard.memory.graph.detail import build_details
from fitguard.memory.graph.fitting import ample_bytes, least_bytes
from fitguard.memory.graph.kernels import CUDNN_CONVOLUTIONS
from fitguard.memory.graph.operations import UNKNOWN_ROUNDS
from fitguard.memory.graph.shelves import NO_SHELVES, Shelves
from fitguard.memory.graph.step import Run, Step, read_step
from fitguard.memory.training import Training
from fitguard.schema.plan import Mode, Range, Unknown

BESIDE_BYTES = 8 * 2**20
"""What else TensorFlow keeps in the allocator: random seeds, constants, cuBLAS' small change."""
BELOW, ABOVE = 0.17, 0.12
"""How far below and above the likely figure the measured ones lay, convolutions aside."""
TIGHT_WORKSPACE = 0.8
"""Of a workspace as large as its data, what a convolution may insist on where memory is short."""
SPARE_SHARE, SPARE_BYTES = 0.7, 3 * 2**30
"""What peaks exceeded the step by, without any convolution to explain it."""


def graph_estimator(training: Training, capability: str = USUAL_CAPABILITY) -> "GraphEstimator":
    """Traces the step once; `at` then takes well below a second for any batch size.

    Args:
        capability: The compute capability of the GPU, which decides the layout of convolutions.
    """
    step = read_step(training, capability)
    return GraphEstimator(training, step, step.run(first=True), step.run())


@dataclass
class GraphEstimator:
    """Answers from one traced step.

    Args:
        shelves: What is made ready for small values before the first step.
    """

    training: Training
    step: Step
    first: Run
    run: Run
    mode: Mode = "graph"
    shelves: Shelves = NO_SHELVES
    _known: dict[int, Estimate] = field(default_factory=dict)

    @cached_property
    def unturned(self) -> "GraphEstimator":
        """The same step where images stay in the layout that they have."""
        step = read_step(self.training, traced=self.step.traced, turns_images=False)
        return GraphEstimator(self.training, step, step.run(first=True), step.run())

    def at(self, batch_size: int, *, detail: bool = False) -> Estimate:
        """The memory at this batch size."""
        if batch_size not in self._known:
            self._known[batch_size] = self._estimate(batch_size)
        found = self._known[batch_size]
        if not detail:
            return found
        parts = build_details(self.training, self.step, self.run, batch_size, found.required.likely)
        return replace(found, **parts)

    def _estimate(self, batch_size: int) -> Estimate:
        kept = self.step.beside.factor + BESIDE_BYTES
        least = least_bytes(self.first, self.run, batch_size, kept, self.shelves)
        peak, once, likely, most = ample_bytes(
            self.run, batch_size, kept, (0, 1, workspace.LIKELY, workspace.MOST)
        )
        above = int(ABOVE * least + TIGHT_WORKSPACE * (once - peak))
        required = Range(int(least * (1 - BELOW)), least, least + above)
        most = max(most * 7 // 5, peak + min(int(SPARE_SHARE * peak), SPARE_BYTES), required.high)
        unknown, reasons = doubts(self.step, self.run, batch_size)
        return Estimate(
            required=required,
            comfortable=Range(peak, min(max(likely, least), most), most),
            unknown=unknown,
            reasons=reasons,
        )


def doubts(step: Step, run: Run, batch_size: int) -> tuple[tuple[Unknown, ...], tuple[str, ...]]:
    """The unknown parts, and the reasons."""
    unknown: list[Unknown] = []
    reasons = [
        "The order in which TensorFlow starts operations can differ a little from run to run."
    ]
    if any(node.op in CUDNN_CONVOLUTIONS for node in step.nodes):
        reasons.append(
            "cuDNN chooses an algorithm for each convolution when it runs; the least that one of "
            "them needs is not documented."
        )
    if not run.complete:
        unknown.append(
            Unknown(
                part="a loop",
                text="How often it runs depends on the data. On paper it ran "
                f"{UNKNOWN_ROUNDS} times; each round keeps what the backward pass reads.",
            )
        )
    guessed = [node for node in step.nodes if node.is_guessed]
    if guessed:
        unknown.append(
            Unknown(
                part=", ".join(sorted({node.op for node in guessed})[:4]),
                text="The size of what these operations give depends on the values of the data; "
                "counted as large as what they are given.",
                most_bytes=sum(node.sizes[0].at(batch_size) for node in guessed),
            )
        )
    return tuple(unknown), tuple(reasons)
