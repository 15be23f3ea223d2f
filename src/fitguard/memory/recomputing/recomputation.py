"""A way to take a step in less memory."""

from dataclasses import dataclass

from fitguard.memory.graph.shelves import NO_SHELVES, Shelves
from fitguard.memory.recomputing.edit import Edit

_TURNED = 0.45
"""The least share of memory for which TensorFlow may turn images into another layout."""


def turns_images(share: float) -> bool:
    """Whether a step that is to run in this share keeps the layout that TensorFlow gives images.

    On a GPU, TensorFlow turns what convolutions read and write, and back for all that comes between
    them. Each of these copies is as large as what was turned. Without them, cuDNN takes other
    algorithms, which round otherwise: so that is done only where much is to be saved.
    """
    return share >= _TURNED


@dataclass(frozen=True, repr=False)
class Recomputation:
    """A step that computes some of its values twice.

    Args:
        edits: How its graph differs, one change after the other.
        needed_bytes: The least that it runs in, without variables and the batch; of several
            devices, on the one that takes most.
        whole_bytes: The same of the step as it is.
        extra: What it takes longer, as a part of the step.
        shelves: What it needs to run in so little.
    """

    edits: tuple[Edit, ...]
    needed_bytes: int
    whole_bytes: int
    extra: float
    shelves: Shelves = NO_SHELVES

    def __repr__(self) -> str:
        """Without the edits: they name every operation."""
        return f"Recomputation(share={self.share:.2f}, extra={self.extra:.2f}, count={self.count})"

    @property
    def share(self) -> float:
        """Of what the step takes as it is."""
        return self.needed_bytes / max(self.whole_bytes, 1)

    @property
    def count(self) -> int:
        """How many operations run twice."""
        return sum(len(edit.groups) for edit in self.edits)
