"""The same training, compiled by XLA or not."""

from dataclasses import replace

from fitguard.memory.training import Training


def with_jit(training: Training, jit_compile: bool) -> Training:
    """The training with `jit_compile` on or off; it can always be made, with the user's model."""
    return replace(training, jit_compile=jit_compile)
