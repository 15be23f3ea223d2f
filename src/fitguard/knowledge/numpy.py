"""NumPy 1 versions that break old TensorFlow releases."""

from functools import cached_property

import msgspec

from fitguard.knowledge.table import Table
from fitguard.schema.versions import older, parse


class NumpyFailure(msgspec.Struct, frozen=True, kw_only=True):
    """From this NumPy on, TensorFlow up to this minor fails with this error.

    Args:
        stops_import: Whether already the import fails, not only some layers.
    """

    tensorflow_to: str
    numpy_from: str
    error: str
    stops_import: bool = False
    source: str


class Numpy:
    """Queries on NumPy."""

    @cached_property
    def table(self) -> Table[NumpyFailure]:
        """Known failures, the gravest first."""
        return Table("numpy_failures", NumpyFailure)

    def failure(self, numpy: str, tensorflow: str) -> NumpyFailure | None:
        """The known failure of a pair, if there is one."""
        for row in self.table.rows:
            covered = parse(tensorflow)[:2] <= parse(row.tensorflow_to)
            if covered and not older(parse(numpy), parse(row.numpy_from)):
                return row
        return None
