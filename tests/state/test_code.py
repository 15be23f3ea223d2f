"""What code names, read from its instructions."""

import dis
from typing import Any

from fitguard.state.code import attributes_set_by, codes, globals_of

_COUNT = 0


class Thing:
    def set_some(self, value: Any) -> None:
        self.first = self.second = value

        def inner() -> None:
            value.third = 1

        inner()

    def set_none(self) -> Any:
        return self.first


def count() -> None:
    global _COUNT
    _COUNT = len([_COUNT])


def test_attributes_that_are_set_also_in_inner_functions() -> None:
    assert attributes_set_by(Thing.set_some.__code__) == {"first", "second", "third"}
    assert attributes_set_by(Thing.set_none.__code__) == frozenset()


def test_globals_that_are_read_or_set() -> None:
    assert globals_of(count.__code__) == ("_COUNT", "len")


def test_nothing_is_missed_that_dis_finds() -> None:
    for held in vars(dis).values():
        code = getattr(held, "__code__", None)
        if code is not None:
            found = {
                instruction.argval
                for one in codes(code)
                for instruction in dis.get_instructions(one)
                if instruction.opname == "STORE_ATTR"
            }
            assert attributes_set_by(code) == found
