"""What could not be told of a step, and why the range is as wide as it is."""

from fitguard.memory.graph.kernels import CUDNN_CONVOLUTIONS
from fitguard.memory.graph.operations import UNKNOWN_ROUNDS
from fitguard.memory.graph.step import Run, Step
from fitguard.schema.plan import Unknown


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
