"""What could not be told of a step, and why the range is as wide as it is."""

from fitguard.memory.graph.kernels import CUDNN_CONVOLUTIONS
from fitguard.memory.graph.step import Run, Step
from fitguard.schema.plan import Unknown


def doubts(step: Step, run: Run) -> tuple[tuple[Unknown, ...], tuple[str, ...]]:
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
                text="How often it runs cannot be told beforehand; it was cut on paper.",
            )
        )
    hidden = [node for node in step.nodes if any(shape is None for shape in node.shapes)]
    large = [node for node in hidden if node.op not in KNOWN_RANKLESS]
    if large:
        unknown.append(
            Unknown(
                part=", ".join(sorted({node.op for node in large})[:4]),
                text="The size of what these operations give depends on the data; counted as 0.",
            )
        )
    return tuple(unknown), tuple(reasons)


KNOWN_RANKLESS = frozenset(
    ("CudnnRNNV3", "Placeholder", "EmptyTensorList", "TensorListReserve", "TensorListPushBack")
)
