"""Two engines, the same answers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fitguard.crash.engine import AhoCorasick, Engine, Hyperscan, engine

# Few letters, so that texts overlap; characters that mean something in patterns; other bytes.
LETTERS = b'abE.*+?[]()^$|\\"<\t: \xc3\xa4\xff'
LITERALS = st.lists(
    st.lists(st.sampled_from(LETTERS), min_size=1, max_size=6).map(bytes), max_size=12
)
DATA = st.lists(st.sampled_from(LETTERS + b"\0\n\r"), max_size=300).map(bytes)


def found(finds: Engine, data: bytes) -> set[int]:
    """Which literals are there."""
    return {number for number, _ in finds.find(data)}


@pytest.fixture(params=[Hyperscan, AhoCorasick], ids=lambda kind: kind.__name__)
def kind(request: pytest.FixtureRequest) -> type[Engine]:
    return request.param


def test_every_place_counts_overlapping_ones_too(kind: type[Engine]) -> None:
    found = kind([b"abab", b"ba", b"zz"]).find(b"xababab")
    assert found == [(0, 5), (0, 7), (1, 4), (1, 6)]


def test_characters_of_patterns_stand_for_themselves(kind: type[Engine]) -> None:
    texts = [b"[1] (a.b)*", b"C:\\new", b"^x$", b"a|b", b"{{node ", b"\\Q.\\E"]
    finds = kind(texts)
    for number, text in enumerate(texts):
        assert found(finds, b"..." + text + b"...") == {number}
    assert not found(finds, b"[1] (aXb)* C:/new x a b node Q.E")


def test_a_text_may_be_there_twice_under_two_numbers(kind: type[Engine]) -> None:
    assert kind([b"same", b"same"]).find(b"the same") == [(0, 8), (1, 8)]


def test_of_common_ones_the_last_place_counts(kind: type[Engine]) -> None:
    finds = kind([b"one", b'"two"', b"three"])
    data = rb'one "two" one \"two\" one three "two" three'
    assert finds.find(data, frozenset({0, 1})) == [(0, 25), (1, 37), (2, 31), (2, 43)]
    assert finds.find(rb'"two" \"two\" one', frozenset({1})) == [(0, 17), (1, 13)]
    assert finds.find(b"three", frozenset({0, 1})) == [(2, 5)]


def test_parts_of_buffers_are_searched_without_a_copy(kind: type[Engine]) -> None:
    finds = kind([b"OOM"])
    assert finds.find(memoryview(bytearray(b"OOM and OOM"))[3:]) == [(0, 8)]


def test_what_json_and_colours_make_of_a_text_is_found(kind: type[Engine]) -> None:
    finds = kind([b'no "GPU" <0>', b"ValueError: No gradients", "Speicherzugriff größer".encode()])
    assert found(finds, rb'{"log":"no \"GPU\" \u003c0\u003e"}') == {0}
    assert found(finds, rb'"no \"GPU\" <0>\n"') == {0}
    assert found(finds, b"\x1b[0;31mValueError\x1b[0m: No gradients") == {1}
    assert found(finds, rb"\u001b[31mValueError: \u001b[0mNo gradients") == {1}
    assert found(finds, rb"Speicherzugriff gr\u00f6\u00dfer") == {2}
    assert not found(finds, b"ValueError: other \x1b[0m")


def test_nothing_to_look_for_and_nothing_to_look_in(kind: type[Engine]) -> None:
    assert kind([]).find(b"text") == []
    assert kind([]).find(b"text", frozenset({0})) == []
    assert kind([b"x"]).find(b"") == []


@pytest.mark.parametrize("literal", [b"", b"a\0b"])
def test_what_cannot_be_looked_for_is_refused(kind: type[Engine], literal: bytes) -> None:
    with pytest.raises(ValueError, match="Expected text without NUL"):
        kind([literal])


@given(LITERALS, DATA)
def test_both_engines_agree_with_each_other_and_with_python(
    literals: list[bytes], data: bytes
) -> None:
    fast, slow = Hyperscan(literals), AhoCorasick(literals)
    plain = {
        (number, end)
        for number, texts in enumerate(fast.spellings)
        for text in texts
        for end in range(len(text), len(data) + 1)
        if data[end - len(text) : end] == text
    }
    assert fast.find(data) == slow.find(data) == sorted(plain)
    common = frozenset(range(1, len(literals), 2))
    last = dict(sorted(plain))
    expected = [place for place in sorted(plain) if place[0] not in common or place in last.items()]
    assert fast.find(data, common) == slow.find(data, common) == expected


def test_the_fast_one_is_taken_where_it_is_installed() -> None:
    assert isinstance(engine([b"x"]), Hyperscan)
