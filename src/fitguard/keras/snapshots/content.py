"""What a snapshot holds."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass
class Content:
    """Plain data, and arrays by name.

    Args:
        document: What JSON can hold. Integers may have any size, floats may be nan or infinite.
        arrays: Of numbers, booleans or texts of a fixed width; never of Python objects.
    """

    document: dict[str, Any] = field(default_factory=dict)
    arrays: dict[str, np.ndarray] = field(default_factory=dict)

    @property
    def array_bytes(self) -> int:
        return sum(array.nbytes for array in self.arrays.values())
