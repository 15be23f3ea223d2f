"""What a scan of one field is to look for."""

from dataclasses import dataclass

from fitguard.schema.data import Role, Split
from fitguard.schema.model import Shape


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What is known of a field beforehand, and what is to be gathered from its values.

    Args:
        role, name, container, target, split, samples, size_bytes, mapped: As in `Field`.
        allowed: The lowest and the highest value that model and loss allow; None: no limit.
        ignored: A value that is allowed wherever it lies: the `ignore_class` of a loss.
        mask_value: The value that the model takes for padding; None: do not look for padding.
        labels: Whether to count the different values.
        columns: Whether to look for constant and duplicate columns.
        fractions: Whether to look for values that are no whole numbers.
        dtype, shape: What the result says where no block is ever seen.
    """

    role: Role
    name: str
    container: str
    target: str | None = None
    split: Split = "training"
    samples: int | None = None
    size_bytes: int | None = None
    mapped: bool = False
    allowed: tuple[float | None, float | None] = (None, None)
    ignored: float | None = None
    mask_value: float | None = None
    labels: bool = False
    columns: bool = False
    fractions: bool = False
    dtype: str = "unknown"
    shape: Shape = ()
