"""The moment from which the data are read again: when the current iterator was new.

Data that are iterated anew in each epoch have one at the start of each. An endless dataset, or a
Python generator, has only the start of `fit`: all is read again from there.
"""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Moment:
    """What the data depended on when an iterator was new.

    Args:
        epoch: In which it was first read.
        iterators: How many were made before it, since `fit` began: each advances a shuffle.
        batches: Number of batches that Keras had learned by then.
        random: Global generators of Python and NumPy at the start of the epoch.
        python: What had changed of the Python objects that the data reach.
        variables: Values of the variables that functions of the dataset use.
    """

    epoch: int
    iterators: int = 0
    batches: int | None = None
    random: dict[str, Any] = field(default_factory=dict)
    python: dict[str, Any] = field(default_factory=dict)
    variables: list[Any] = field(default_factory=list)


def moment_from(data: dict[str, Any]) -> Moment:
    return Moment(**data)
