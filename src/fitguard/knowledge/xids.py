"""NVIDIA's Xid errors: what each number means and what to do."""

from functools import cached_property

import msgspec

from fitguard.knowledge.table import Table


class XidMeaning(msgspec.Struct, frozen=True, kw_only=True):
    """One Xid. `causes` are the likely ones: hardware, driver, user-app, thermal, bus …"""

    number: int
    name: str
    mnemonic: str = ""
    causes: tuple[str, ...] = ()
    action: str = ""
    action_text: str = ""
    follow_up: str = ""
    source: str
    note: str = ""


class Xids:
    """Looks Xids up by number."""

    @cached_property
    def table(self) -> Table[XidMeaning]:
        """All numbers."""
        return Table("xid", XidMeaning)

    @cached_property
    def _by_number(self) -> dict[int, XidMeaning]:
        return {row.number: row for row in self.table.rows}

    def find(self, number: int) -> XidMeaning | None:
        """The meaning of a number, where it is known."""
        return self._by_number.get(number)
