"""Whether several GPUs or machines train together."""

from fitguard.schema.crash import Signal, Story

AT_WORK = ("nccl-info", "many-replicas", "many-gpus-told", "nccl-in-stack", "nccl-failed")
"""Signatures of lines that several GPUs or machines leave."""


def find_joint_training(story: Story) -> Signal | None:
    """What shows that several train together, where something does."""
    return story.first(*AT_WORK, "many-gpus-hang", "many-gpus-fail", "horovod-stalled")
