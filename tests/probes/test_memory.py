"""Probes of memory and copies: what they do on the CPU, and what they say of faults."""

import os
import re
import sys
from pathlib import Path

import pytest
from probes.benches import open_bench, read_answers

from fitguard.probes.child import ProbeChild
from fitguard.probes.devices import cpu
from fitguard.probes.registry import all_probes
from fitguard.probes.target.bench import WrongResult
from fitguard.probes.target.catalog import copies, device_memory, input_pipeline, memory_pattern


@pytest.mark.parametrize("probe", [copies, device_memory, input_pipeline])
def test_each_is_right_on_the_cpu(probe, tmp_path: Path) -> None:
    with open_bench(tmp_path) as bench:
        assert probe.run(bench)


@pytest.mark.parametrize("probe", [copies, device_memory, input_pipeline])
def test_each_finds_a_wrong_bit(probe, tmp_path: Path) -> None:
    with open_bench(tmp_path, "wrong-bits") as bench, pytest.raises(WrongResult, match="1 bits"):
        probe.run(bench)


def test_the_pattern_is_written_and_read_twice(tmp_path: Path) -> None:
    with open_bench(tmp_path) as bench:
        assert memory_pattern.run(bench).startswith("256 MiB were written and read back twice")
    told = [line["progress"] for line in read_answers(tmp_path) if "progress" in line]
    assert told == sorted(told)
    assert told[-1] == 1.0


def test_one_flipped_bit_in_memory_is_found_with_its_place(tmp_path: Path) -> None:
    with open_bench(tmp_path, "wrong-memory") as bench, pytest.raises(WrongResult) as caught:
        memory_pattern.run(bench)
    text = str(caught.value)
    assert "1 of 16 blocks of 16 MiB came back changed: number 1" in text
    assert "Block 1 has 1 wrong bit in 1 word; the first is word " in text
    got, expected = (int(word, 16) for word in re.findall(r"0x(\w{16})", text))
    bit = re.search(r"bits \[(\d+)\] are flipped", text)
    assert bit is not None
    assert got ^ expected == 1 << int(bit[1])


def test_a_wrong_comparison_is_told_as_such(tmp_path: Path) -> None:
    with (
        open_bench(tmp_path, "wrong-bit") as bench,
        pytest.raises(WrongResult, match="When block 0 was read again, nothing was wrong with it"),
    ):
        memory_pattern.run(bench)


def test_out_of_memory_and_recovery() -> None:
    probe = all_probes()["out-of-memory"]
    with ProbeChild(probe, cpu(), sys.executable, os.environ) as child:
        ending = child.run()
    assert ending.told["status"] == "pass", ending.told
    assert "512 MiB were asked for and refused; memory was given back" in ending.told["detail"]
