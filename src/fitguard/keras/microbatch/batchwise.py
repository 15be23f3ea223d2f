"""Names what sees several rows at once, and what changes with micro-batches."""

from typing import Any

from fitguard.contract.libraries import has_own_step
from fitguard.keras.microbatch.library import library_of
from fitguard.keras.microbatch.own_step import OwnStep

_TRIED = " fitguard has tried it on a few rows only."
_MEAN = "Its micro-batches give the same step if its loss is a mean over rows, or a sum over them."


def describe_batchwise(model: Any) -> list[str]:
    """Sentences on all that is known to differ with micro-batches.

    Beside `describe_batch_statistics`: other random numbers, and code of the user's own, which may
    give the same.
    """
    drawn = library_of(model).layers_that_draw_others(model)
    return [*describe_batch_statistics(model), *drawn, *_own_code(model)]


def describe_batch_statistics(model: Any) -> list[str]:
    """Sentences on layers and losses of the model that look at the batch as a whole.

    An empty list means that none is known. Layers of the user's own cannot be told by their looks:
    `MicroTrainStep.prepare` tries the model on a few rows, and finds these too.
    """
    return library_of(model).layers_that_see_the_batch(model)


def _own_code(model: Any) -> list[str]:
    if isinstance(model, OwnStep):
        tried = "" if library_of(model).layers_that_draw_others(model) else _TRIED
        return [f"{model.step_name} is a step of your own.{tried} {_MEAN}"]
    name = type(model).__name__
    if has_own_step(model, "train_step"):
        return [
            f"{name} has its own train_step. fitguard weights the gradients of micro-batches by"
            " their rows. That gives the same step if the loss is a mean over rows."
        ]
    return []
