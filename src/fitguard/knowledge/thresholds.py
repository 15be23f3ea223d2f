"""Single facts that no other table holds: the release at which something changed, a name."""

from functools import cache

import msgspec

from fitguard.knowledge.table import Table


class Threshold(msgspec.Struct, frozen=True):
    """One fact by its name."""

    name: str
    value: str
    source: str


@cache
def table() -> Table[Threshold]:
    """All of them."""
    return Table("thresholds", Threshold)


def threshold(name: str) -> str:
    """The value of one: `threshold("last-tensorflow-gpu")` is 2.11.0."""
    return next(row.value for row in table().rows if row.name == name)
