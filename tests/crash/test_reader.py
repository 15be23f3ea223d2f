"""Which lines of a long log are kept, with which numbers."""

import random

import pytest
from crash.logs import LITERALS, OOM, numbered, reading, texts, training
from hypothesis import given, settings
from hypothesis import strategies as st

from fitguard.crash.engine import AhoCorasick, engine
from fitguard.crash.reader import read
from fitguard.crash.windows import MARGIN, REACH, SIZE

SEGFAULT = "Segmentation fault (core dumped)"


def test_a_short_log_is_kept_whole() -> None:
    log = training(400)
    assert texts(log) == log.decode().splitlines()
    assert reading(log).line_count == 400


@pytest.mark.parametrize(("log", "count"), [("", 0), ("\n", 1), ("a", 1), ("a\n", 1), ("a\nb", 2)])
def test_lines_are_counted(log: str, count: int) -> None:
    assert reading(log.encode()).line_count == count


def test_blank_lines_are_counted_and_left_out() -> None:
    assert numbered(b"a\n\n  \nb\n") == {1: "a", 4: "b"}


def test_of_a_long_log_hits_are_kept_with_their_neighbours_and_both_ends() -> None:
    log = training(60_000) + OOM.encode() + b"\n" + training(40_000)
    kept = numbered(log)
    assert kept[60_001] == OOM
    assert reading(log).line_count == 100_001
    around = range(60_001 - 3, 60_001 + 15 + 1)
    assert set(kept) == {*range(1, 201), *around, *range(99_802, 100_002)}
    for number in set(kept) - {60_001}:
        step = number if number <= 60_000 else number - 60_001
        assert kept[number].startswith(f"step {step} ")


def test_lines_of_windows_end_as_well() -> None:
    log = training(90_000).replace(b"\n", b"\r\n") + OOM.encode() + b"\r\n" + training(90_000)
    assert numbered(log)[90_001] == OOM


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_hits_are_found_wherever_windows_are_cut(data: st.DataObject) -> None:
    """Hits near the ends of windows, in lines of many lengths, with and without an end."""
    rng = random.Random(data.draw(st.integers()))
    places = sorted(
        {
            max(0, rng.randrange(1, 4) * SIZE - REACH + rng.randrange(-2 * MARGIN, 2 * REACH))
            for _ in range(rng.randrange(1, 9))
        }
    )
    longest = rng.choice([40, 300, 3 * MARGIN, 2 * REACH])
    log, expected = bytearray(), []
    for place in places:
        while len(log) < place:
            length = min(rng.randrange(longest), place - len(log))
            log += b"x" * max(0, length - 1) + rng.choice([b"\n", b"\r", b"\n"])
        expected.append((log.count(b"\n") + 1, f"<{place}> {SEGFAULT}"))
        log += expected[-1][1].encode() + b" " + b"y" * rng.randrange(longest) + b"\n"
    log += b"z\n" * rng.randrange(400_000)
    read_lines = reading(bytes(log))
    assert read_lines.line_count == log.count(b"\n")
    for number, text in expected:
        assert any(line.number == number and text in line.text for line in read_lines.lines)


def test_a_hit_in_a_line_without_end_is_cut_out() -> None:
    log = b"x" * (3 * SIZE) + OOM.encode() + b"y" * (3 * SIZE)
    (hit,) = [text for text in texts(log) if OOM in text]
    assert len(hit) <= 2 * MARGIN
    assert hit.startswith("x")
    assert hit.endswith("y")


@pytest.mark.parametrize("shift", range(0, 40, 3))
def test_a_hit_on_the_edge_of_two_windows_of_one_line_is_found_once(shift: int) -> None:
    log = b"x" * (SIZE - MARGIN - shift) + OOM.encode() + b"y" * SIZE
    assert sum(OOM in text for text in texts(log)) == 1


def test_of_an_overwritten_line_hits_and_the_last_state_are_kept() -> None:
    bars = [f"{step}/100 [====>....] loss: 0.{step}" for step in range(1, 101)]
    line = "\r".join([*bars[:50], OOM, *bars[50:]])
    kept = reading(f"start\n{line}\r\nend\n".encode()).lines
    assert [(item.number, item.text) for item in kept] == [
        (1, "start"), (2, OOM), (2, bars[-1]), (3, "end"),
    ]  # fmt: skip


def test_an_allocators_dump_is_kept_whole() -> None:
    dump = [
        f"2018-05-10 11:33:24.068255: I tensorflow/core/common_runtime/bfc_allocator.cc:662] "
        f"Chunk at 0x7f{number:06x} of size 256"
        for number in range(12_000)
    ]
    stats = [f"{name}: {value}" for value, name in enumerate(("Limit", "InUse", "MaxInUse"))]
    log = [
        *training(5000).decode().splitlines(),
        "W bfc_allocator.cc:275] Allocator (GPU_0_bfc) ran out of memory trying to allocate 2GiB",
        *dump,
        "Stats: ",
        *stats,
    ]
    kept = texts("\n".join([*log, training(5000).decode()]).encode())
    assert [text for text in kept if "Chunk at" in text] == dump
    assert set(stats) <= set(kept)


def test_absl_dumps_and_dumps_without_a_prefix_are_kept_too() -> None:
    for row in (
        "I0000 00:00:1794706402.432785   23037 bfc_allocator.cc:1105] InUse at 7f of size 1 next 2",
        "Free  at 7f95b of size 38429696 next 12",
        "Bin (256): \tTotal Chunks: 43, Chunks in use: 43.",
    ):
        log = [training(900).decode(), "ran out of memory", *[row] * 900, training(900).decode()]
        kept = [text for text in texts("\n".join(log).encode()) if "step" not in text]
        assert len(kept) == 901


def test_a_frequent_hit_is_kept_first_and_last_and_hides_no_other() -> None:
    noise = b"".join(b"nan loss at step %d\n" % step for step in range(100_000))
    log = noise + OOM.encode() + b"\n" + noise + training(100_000)
    kept = reading(log).lines
    steps = [int(line.text.rsplit(" ", 1)[1]) for line in kept if "nan loss" in line.text]
    assert steps[:200] == list(range(200))
    assert steps[-1] == 99_999
    assert len(steps) < 1000
    assert (100_001, OOM) in {(line.number, line.text) for line in kept}


def test_what_is_kept_is_bounded() -> None:
    literals = [b"kind %03d;" % number for number in range(500)]
    row = b"".join(b"kind %03d; %s\n" % (number, b"x" * 500) for number in range(500))
    kept = read(row * 250, engine(literals)).lines
    assert len(kept) < 60_000
    assert sum(len(line.text) for line in kept) < 30e6
    seen = {line.text[:9] for line in kept}
    assert len(seen) == 500


def test_the_order_is_that_of_the_log() -> None:
    rng = random.Random(7)
    rows = [rng.choice([OOM, SEGFAULT, "nan loss", "ok"]) for _ in range(5000)]
    numbers = [line.number for line in reading("\n".join(rows).encode()).lines]
    assert numbers == sorted(numbers)


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=2000), st.lists(st.sampled_from(LITERALS), max_size=5))
def test_both_engines_read_the_same(noise: bytes, hits: list[bytes]) -> None:
    log = noise[:1000] + b"\n".join(hits) + noise[1000:]
    assert read(log, AhoCorasick(LITERALS)) == reading(log)
