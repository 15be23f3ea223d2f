"""How well labels are mixed, judged by neighbors that differ."""

from typing import NamedTuple

from fitguard.checks.data.derived.losses import label_kind
from fitguard.checks.data.derived.pairs import Labelled
from fitguard.schema.data import Field, Labels

# So few of the changes that chance gives: long stretches of one label.
SORTED_BELOW = 0.3
# With fewer changes to expect, their number says little.
_FEWEST_EXPECTED = 100


class Mixing(NamedTuple):
    """Labels in the order in which they came.

    Args:
        share: How often neighbors differ, against an order by chance: 1 is well mixed, 0 sorted.
        expected: How many neighbors would differ by chance.
    """

    field: Field
    labels: Labels
    share: float
    expected: int


def mixing(labelled: tuple[Labelled, ...]) -> Mixing | None:
    """How the classes of the first output that has some are mixed; None where it cannot be told."""
    for field, _, loss in labelled:
        labels = field.labels
        if label_kind(loss) not in {"classes", "one_hot", "binary"} or labels is None:
            continue
        counted = sum(entry.count for entry in labels.counts)
        if not labels.neighbours or labels.distinct != len(labels.counts) or not counted:
            continue
        by_chance = 1 - sum((entry.count / counted) ** 2 for entry in labels.counts)
        expected = labels.neighbours * by_chance
        if expected >= _FEWEST_EXPECTED:
            return Mixing(field, labels, labels.changes / expected, round(expected))
    return None
