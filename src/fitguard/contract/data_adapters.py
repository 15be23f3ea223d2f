"""What a data adapter of Keras was given."""

from typing import Any, Literal, NamedTuple

Given = Literal["arrays", "generator", "PyDataset", "Sequence", "torch", "other"]

_GIVEN: dict[str, Given] = {
    "ArrayDataAdapter": "arrays",
    "TensorLikeDataAdapter": "arrays",
    "GenericArrayLikeDataAdapter": "arrays",
    "GeneratorDataAdapter": "generator",
    "PyDatasetAdapter": "PyDataset",
    "KerasSequenceAdapter": "Sequence",
    "TorchDataLoaderAdapter": "torch",
}


class Feed(NamedTuple):
    """The data of `fit`, as their adapter keeps them.

    Args:
        given: What they are; `PyDataset` is of Keras 3, `Sequence` of Keras 2.
        shuffles: Whether Keras itself shuffles arrays or Python data.
        data: The `PyDataset` or `Sequence`.
    """

    given: Given
    shuffles: bool = False
    data: Any = None


def feed_of(adapter: Any) -> Feed:
    """What the adapter was given."""
    given = _GIVEN.get(type(adapter).__name__, "other")
    if given == "arrays":
        return Feed(given, bool(adapter._shuffle))
    if given == "PyDataset":
        return Feed(given, bool(adapter.shuffle), adapter.py_dataset)
    if given == "Sequence":
        return Feed(given, bool(adapter._shuffle_sequence), adapter._keras_sequence)
    return Feed(given)
