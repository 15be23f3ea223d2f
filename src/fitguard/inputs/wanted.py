"""What to look for in a field: the limits that model and loss set for it."""

from fitguard.checks.data.derived.input_shapes import fits
from fitguard.checks.data.derived.losses import find_label_limits, label_kind
from fitguard.checks.data.derived.magnitudes import Limits, find_input_limits, find_target_limits
from fitguard.checks.data.derived.tables import MOST_COLUMNS
from fitguard.inputs.scan.wanted import Wanted
from fitguard.inputs.sources.arrays import Table
from fitguard.inputs.sources.matching import find_port
from fitguard.inputs.sources.source import Context
from fitguard.inputs.sources.structure import Leaf
from fitguard.schema.data import Role
from fitguard.schema.model import ModelFacts, ModelInput, ModelOutput

Target = ModelInput | ModelOutput | None


def build_wanted(context: Context, role: Role, leaf: Leaf, found: Table, *, stream: bool) -> Wanted:
    """What to look for in an array, or in one component of a stream."""
    target = _find_target(context.model, find_port(context.model, role, leaf.key), found)
    mask = target.mask_value if isinstance(target, ModelInput) else None
    loss = target.loss if isinstance(target, ModelOutput) else None
    return Wanted(
        split=context.split,
        role=role,
        name=leaf.name,
        target=target.name if target else None,
        container=found.container,
        samples=None if stream else found.shape[0],
        size_bytes=None if stream else found.values.nbytes,
        mapped=found.mapped,
        allowed=_find_limits(context.model, role, target),
        ignored=loss.ignore_class if loss else None,
        mask_value=mask,
        labels=role == "y",
        columns=_columns(role, target, found),
        fractions=role != "sample_weight" and _counts(target),
        dtype=str(found.values.dtype),
        shape=found.shape[1:],
    )


def _find_target(model: ModelFacts, target: Target, found: Table) -> Target:
    """The input or output; None where a `train_step` of the user's makes the input of the array."""
    if model.custom_batches and isinstance(target, ModelInput):
        return target if fits(found.shape[1:], target) else None
    return target


def _find_limits(model: ModelFacts, role: Role, target: Target) -> Limits:
    if role == "sample_weight":
        return 0.0, None
    if isinstance(target, ModelOutput):
        return (None, None) if model.custom_step else _find_label_limits(target)
    if target is None:
        return None, None
    if target.tables:
        return 0.0, float(min(table.rows for table in target.tables) - 1)
    return find_input_limits(target)


def _find_label_limits(target: ModelOutput) -> Limits:
    limits = find_label_limits(target)
    return find_target_limits(target) if limits == (None, None) else limits


def _counts(target: Target) -> bool:
    """Whether the values are numbers of rows or classes, which have no fractions."""
    if isinstance(target, ModelOutput):
        return label_kind(target.loss) == "classes"
    return target is not None and bool(target.tables)


def _columns(role: Role, target: Target, found: Table) -> bool:
    """Whether the columns are quantities that can be compared."""
    if role == "sample_weight" or len(found.shape) != 2 or found.rows is not None:
        return False
    if isinstance(target, ModelInput) and _is_sequence(target):
        return False
    return bool(2 <= found.values.shape[-1] <= MOST_COLUMNS)


def _is_sequence(target: ModelInput) -> bool:
    """Whether the columns are steps: an index of a table, a mask, whole numbers, an open length."""
    if target.tables or target.mask_value is not None:
        return True
    return target.dtype.startswith(("int", "uint", "bool")) or None in (target.shape or ())[1:]
