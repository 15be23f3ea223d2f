"""Which hits count where there are very many of them."""

import pytest

from fitguard.crash.engine import AhoCorasick, Engine, Hyperscan
from fitguard.crash.hits import DENSE, FIRST, SPARE, Hit, Hits
from fitguard.crash.windows import Window

COMMON, RARE = b"common", b"rare"


class Spy(Hyperscan):
    """Knows what it was asked for last."""

    asked: frozenset[int] = frozenset()

    def find(self, data, common=frozenset()):  # type: ignore[no-untyped-def]
        self.asked = common
        return super().find(data, common)


def window(data: bytes) -> Window:
    return Window(bytearray(data), 0, 0, len(data), len(data))


def hits(engine: Engine, *data: bytes) -> list[list[Hit]]:
    """Those of each of several windows."""
    taken = Hits(engine)
    return [taken.within(window(part)) for part in data]


@pytest.mark.parametrize("kind", [Hyperscan, AhoCorasick])
def test_what_is_common_hides_nothing(kind: type[Engine]) -> None:
    crowd = (COMMON + b"\n") * SPARE
    second = RARE + b"\n" + crowd + RARE + b"\n"
    third = crowd[:70] + b"\n" + RARE
    _, now, later = hits(kind([COMMON, RARE]), crowd, second, third)
    assert now == [
        Hit(len(RARE), 1, 1),
        Hit(len(second) - len(RARE) - 2, 0, 0),
        Hit(len(second) - 1, 1, 2),
    ]
    assert later == [Hit(69, 0, 0), Hit(len(third), 1, 3)]


def test_the_engine_is_told_what_is_common_and_of_nothing_else() -> None:
    spy = Spy([COMMON, RARE])
    taken = Hits(spy)
    rare = b"\n".join([RARE] * DENSE)
    for _ in range(3 + SPARE // DENSE):
        taken.within(window(rare))
    assert spy.asked == frozenset()
    taken.within(window(COMMON * (SPARE + 2 * FIRST)))
    taken.within(window(rare))
    assert spy.asked == {0}


def test_a_kind_of_which_enough_is_known_is_counted_on() -> None:
    taken = Hits(Hyperscan([COMMON]))
    assert len(taken.within(window(COMMON * 5), most=3)) == 3
    assert taken.within(window(COMMON), most=3) == []
    assert [hit.nth for hit in taken.within(window(COMMON))] == [7]
