"""What XLA could not read is never given to it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from supervise.autotuned.xla_files import Results, entry, written

from fitguard.supervise.autotuned.results import count_results

WHOLE = written(1, 2, 3)


def test_results_are_counted():
    assert count_results(WHOLE) == 3
    assert count_results(written(*range(500))) == 500


def test_a_file_that_ends_too_early_has_the_results_that_are_whole_or_none():
    seen = set()
    for length in range(len(WHOLE)):
        count = count_results(WHOLE[:length])
        seen.add(count)
        if count:
            read = Results.FromString(WHOLE[:length])
            assert [each.hlo for each in read.results] == [
                each["hlo"] for each in map(entry, range(1, count + 1))
            ]
    assert seen == {0, 1, 2}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        written(version=3),
        written(1, version=0),
        written(1, 1),
        b'version: 3\nresults { device: "CUDA: 9.0" }',
        b"\x7fELF\x02\x01\x01" + bytes(500),
        Results(version=3, results=[{"device": "d", "hlo": "h"}]).SerializeToString(),
        WHOLE + b"\x1a\x02hi",
        WHOLE.replace(b"tmp_0", b"tmp\xff\xfe"),
        WHOLE[: len(WHOLE) // 2] + written(4, 5)[40:],
    ],
    ids=[
        "empty",
        "no results",
        "no version",
        "one kernel twice",
        "text",
        "a program",
        "no result in it",
        "a field that is not known",
        "no UTF-8",
        "two processes wrote it",
    ],
)
def test_a_foreign_or_torn_file_has_none(content):
    assert count_results(content) == 0


@given(st.data())
def test_whatever_bytes_change_what_counts_can_be_read(data):
    spoilt = bytearray(WHOLE)
    for _ in range(data.draw(st.integers(1, 4))):
        spoilt[data.draw(st.integers(0, len(WHOLE) - 1))] = data.draw(st.integers(0, 255))
    count = count_results(bytes(spoilt))
    if count:
        read = Results.FromString(bytes(spoilt))
        assert read.version
        assert len(read.results) == count


@given(st.binary(max_size=200))
def test_any_bytes_are_judged(content):
    assert count_results(content) >= 0
