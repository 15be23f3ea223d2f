"""protobuf: what the generated code in TensorFlow can run with."""

from functools import cached_property

import msgspec

from fitguard.knowledge.table import Table
from fitguard.knowledge.tensorflow import Release
from fitguard.schema.versions import parse


class ProtobufNeed(msgspec.Struct, frozen=True, kw_only=True):
    """The range, as far as it was measured, from one release of TensorFlow on."""

    tensorflow: str
    least: str = ""
    below: str = ""
    source: str


class Protobuf:
    """Queries on protobuf."""

    @cached_property
    def table(self) -> Table[ProtobufNeed]:
        """What was measured, oldest release first."""
        return Table("protobuf", ProtobufNeed)

    def need(self, release: Release) -> ProtobufNeed:
        """What holds for a release: the last row that does not start after it."""
        return [row for row in self.table.rows if parse(row.tensorflow) <= release.minor][-1]
