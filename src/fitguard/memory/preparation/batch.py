"""The batch size to plan for, and over how many GPUs it is spread."""

from typing import Any

from fitguard.inputs.arguments import optional, whole_number
from fitguard.inputs.models.asking import ask
from fitguard.memory.preparation.given import Given
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.model import ModelFacts

DEFAULT_BATCH_SIZE = 32
"""That of `fit`."""


def batch_to_plan(asked: Any, given: Given, bound: int | None) -> tuple[int, list[str]]:
    """The batch size, and what was assumed.

    Args:
        bound: The one size that the model takes; None: any.

    Raises:
        UsageError: for what is no batch size, and where none is known.
    """
    size = _positive("batch_size", optional("batch_size", asked))
    if bound is not None:
        if size not in (None, bound):
            raise UsageError(
                f"Received batch_size={size} for a model with a stateful layer that was made for "
                f"batches of {bound}. Expected {bound}, or a model made for another batch"
            )
        return bound, []
    if size is not None:
        return size, []
    if given.batch_size is not None:
        return given.batch_size, []
    if given.unknown_batch:
        raise UsageError(
            "Received data that do not tell their batch size. Expected batch_size: the number of "
            "samples in each batch"
        )
    default = f"batch_size was not given: {DEFAULT_BATCH_SIZE} was taken, as fit does."
    return DEFAULT_BATCH_SIZE, [default]


def replicas_of(model: ModelFacts, strategy: Any, asked: Any) -> int:
    """Over how many GPUs each batch is spread.

    Raises:
        UsageError: for what is no number, or no strategy.
    """
    if asked is not None:
        return _positive("replicas", whole_number("replicas", asked)) or 1
    if strategy is None:
        return model.replicas
    number = ask(lambda: int(strategy.num_replicas_in_sync), None)
    if number is None:
        raise UsageError(
            f"Received strategy={strategy!r}. Expected a tf.distribute strategy, or replicas: the "
            "number of GPUs"
        )
    return number


def describe_unspread(model: Any, strategy: Any, asked: Any) -> list[str]:
    """What is to be said of a model that was made under a strategy which saw one device."""
    import tensorflow as tf

    if asked is not None or strategy is not None:
        return []
    if model.distribute_strategy is tf.distribute.get_strategy():
        return []
    return [
        "The model was made under a distribution strategy that saw one device: the whole batch was "
        "planned for one GPU. Give replicas for more of them."
    ]


def require_one_replica(model: ModelFacts) -> None:
    """A model that is spread already has all its variables several times, one for each GPU.

    Raises:
        UsageError: where it is, or where a strategy is being entered.
    """
    import tensorflow as tf

    if tf.distribute.in_cross_replica_context():
        raise UsageError(
            "Received a call of plan inside of strategy.scope(). Expected it outside; the model "
            "may have been made inside"
        )
    if model.replicas > 1:
        raise UsageError(
            f"Received a model that was made under a strategy over {model.replicas} devices. "
            f"Expected one that was made outside of it, with replicas={model.replicas}; the "
            "command `fitguard plan` hides the GPUs, so that MirroredStrategy() makes it for one "
            "device, unless the script itself names several"
        )


def _positive(name: str, number: int | None) -> int | None:
    if number is not None and number < 1:
        raise UsageError(f"Received {name}={number}. Expected 1 or more")
    return number
