"""A way to take a step in less memory."""

from dataclasses import dataclass

from fitguard.memory.recomputing.edit import Edit


@dataclass(frozen=True, repr=False)
class Recomputation:
    """A step that computes some of its values twice.

    Args:
        edits: How its graph differs, one change after the other.
        peak_bytes: The most that is in use, without variables and the batch; of several devices, on
            the one that takes most.
        whole_bytes: The same of the step as it is.
        extra: What it takes longer, as a part of the step.
    """

    edits: tuple[Edit, ...]
    peak_bytes: int
    whole_bytes: int
    extra: float

    def __repr__(self) -> str:
        """Without the edits: they name every operation."""
        return f"Recomputation(share={self.share:.2f}, extra={self.extra:.2f}, count={self.count})"

    @property
    def share(self) -> float:
        """Of what the step takes as it is."""
        return self.peak_bytes / max(self.whole_bytes, 1)

    @property
    def count(self) -> int:
        """How many operations run twice."""
        return sum(len(edit.groups) for edit in self.edits)
