"""Environment variables that turn off what a training wants."""

import re
from functools import cached_property

import msgspec

from fitguard.knowledge.table import Table
from fitguard.schema.finding import Severity


class Override(msgspec.Struct, frozen=True, kw_only=True):
    """A variable, the values of it that do harm, and what they do.

    Args:
        needs: The override matters only where this is so: `ptx`, kernels compiled at first run;
            `several`, GPUs that train together.
    """

    name: str
    bad: str
    severity: Severity
    effect: str
    needs: str = ""
    source: str

    def applies(self, value: str) -> bool:
        """Whether this value does harm."""
        return re.search(self.bad, value.strip()) is not None


class EnvironmentOverrides:
    """All known overrides."""

    @cached_property
    def table(self) -> Table[Override]:
        """The overrides."""
        return Table("environment", Override)
