"""What is put around Keras and TensorFlow to see, and to weight, what a micro-batch does.

It stays in place once a batch was split: each function asks whether its own thread traces a
micro-batch, and else does what it always did.
"""

import functools
from collections.abc import Callable
from typing import Any

from fitguard.contract.hooks import Role
from fitguard.contract.libraries import Library
from fitguard.contract.patching import Wraps, put_patches
from fitguard.keras.microbatch import draws, losses2, losses3
from fitguard.keras.microbatch.identity import identity
from fitguard.keras.microbatch.split import current


@functools.cache
def install() -> None:
    """Put it into place, once in a process."""
    put_patches(_wraps())


def _wraps() -> Wraps:
    return {
        Role.LOSS_MASKED: losses2.wrap_loss_masking,
        Role.LOSS_REDUCED: _by_generation(losses2.wrap_loss_reduction, losses3.wrap_loss_reduction),
        Role.MEAN_UPDATED: _by_generation(losses2.wrap_mean_update, losses3.wrap_mean_update),
        Role.NUMBERS_DRAWN: draws.wrap_draw,
        Role.VARIABLE_WRITTEN: _wrap_variable_write,
    }


def _by_generation(two: Any, three: Any) -> Any:
    return lambda original, library: (two if library.generation == 2 else three)(original, library)


def _wrap_variable_write(original: Callable[..., Any], _: Library) -> Callable[..., Any]:
    """Sees which variables a step writes: statistics, seeds, counters. A trial writes none."""

    @functools.wraps(original)
    def assign(self: Any, *args: Any, **kwargs: Any) -> Any:
        split = current()
        if split is not None and split.trial:
            split.note_written(self, args[0] if args else next(iter(kwargs.values())))
            return self
        if split is not None:
            split.findings.assigned[identity(self)] = self
        return original(self, *args, **kwargs)

    return assign
