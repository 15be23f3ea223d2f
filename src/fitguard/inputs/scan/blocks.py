"""Tables that become NumPy arrays only block by block: as a whole they would fill the memory."""

from collections.abc import Callable
from typing import Any

import numpy as np

from fitguard.inputs.scan.pieces import Array


class Blocks:
    """What NumPy's arrays tell of themselves, and their slices along the first axis.

    Args:
        cut: Gives the rows from one number to another.
        container: As a person calls what they come from.
    """

    def __init__(
        self,
        cut: Callable[[slice], Any],
        shape: tuple[int, ...],
        dtype: "np.dtype[Any]",
        container: str,
    ) -> None:
        self._cut = cut
        self.shape = shape
        self.dtype = dtype
        self.container = container

    @property
    def ndim(self) -> int:
        """How many axes."""
        return len(self.shape)

    @property
    def itemsize(self) -> int:
        """The size of one value, as NumPy calls it."""
        return int(self.dtype.itemsize)

    @property
    def nbytes(self) -> int:
        """The size of all values, as NumPy calls it."""
        return int(np.prod(self.shape, dtype=np.int64)) * self.itemsize

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, part: slice) -> Array:
        return np.asarray(self._cut(part))

    def __array__(self, *_: Any, **__: Any) -> Array:
        return self[0 : len(self)]

    def part(self, part: slice) -> "Blocks":
        """Some of the rows, as blocks too."""
        start, stop, _ = part.indices(len(self))

        def cut_rows(inner: slice) -> Any:
            first, last, _ = inner.indices(stop - start)
            return self._cut(slice(start + first, start + last))

        return Blocks(cut_rows, (stop - start, *self.shape[1:]), self.dtype, self.container)
