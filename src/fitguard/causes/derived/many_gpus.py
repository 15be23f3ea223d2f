"""Whether several GPUs or machines train together."""

from fitguard.schema.crash import Signal, Story

AT_WORK = ("nccl-info", "many-replicas", "many-gpus-told", "nccl-in-stack", "nccl-failed")
"""Signatures of lines that several GPUs or machines leave."""
_OF_OTHERS = (
    "many-gpus-hang", "many-gpus-fail", "mpi-aborted", "peer-gone", "peer-silent", "peer-late",
    "peer-out-of-order", "peer-of-nccl-gone", "peer-of-horovod-gone",
)  # fmt: skip
"""Of lines that tell of other workers, or of what several GPUs do."""


def find_joint_training(story: Story) -> Signal | None:
    """What shows that several train together, where something does."""
    return story.first(*AT_WORK, *_OF_OTHERS)
