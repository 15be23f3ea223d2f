"""Finds the dataset that a distribution strategy has split."""

from typing import Any, NamedTuple


class Original(NamedTuple):
    """The dataset behind a distributed one.

    Args:
        dataset: None where it cannot be found.
        unread: Why not.
        replicas: Over how many replicas each of its elements is split.
    """

    dataset: Any | None
    unread: str = ""
    replicas: int = 1


def original_of(dataset: Any) -> Original:
    """The `tf.data.Dataset` itself, or the one that was distributed.

    A strategy keeps the dataset that `experimental_distribute_dataset` was given, and those that
    the function of `distribute_datasets_from_function` made: nothing is called again.
    """
    if _is_dataset(dataset):
        return Original(dataset)
    given = getattr(dataset, "_original_dataset", None)
    if _is_dataset(given):
        return Original(given, replicas=_replicas(dataset))
    for attribute in ("_datasets", "_cloned_datasets"):
        made = getattr(dataset, attribute, None)
        if isinstance(made, list | tuple) and made and _is_dataset(made[0]):
            return Original(made[0])
    return Original(
        None,
        f"The dataset inside of {type(dataset).__name__} cannot be found: it is made later, on the "
        "workers.",
    )


def _is_dataset(thing: Any) -> bool:
    return any(kind.__name__ == "DatasetV2" for kind in type(thing).__mro__)


def _replicas(dataset: Any) -> int:
    return int(getattr(getattr(dataset, "_strategy", None), "num_replicas_in_sync", 1))
