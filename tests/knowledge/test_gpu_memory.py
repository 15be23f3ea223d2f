"""What TensorFlow's allocator gets of a GPU, against lines of real logs."""

import pytest

from fitguard.knowledge import knowledge

MIB = 2**20
memory = knowledge().gpu_memory

# N of `Created device … with N MB memory` in public logs and on the H200 that was measured, with
# the memory that nvidia-smi shows and the capability. The reserves were chosen on these very lines,
# and lines of cards that a desktop may have used were left out: the table names them.
SEEN = {
    "Tesla T4": (15360, 7, 13757),
    "Tesla P100-PCIE-16GB": (16384, 6, 15511),
    "Tesla V100-PCIE-16GB": (16384, 7, 14784),
    "Tesla V100-PCIE-32GB": (32768, 7, 31134),
    "NVIDIA A100-PCIE-40GB": (40960, 8, 38482),
    "NVIDIA A100-SXM4-80GB": (81920, 8, 79197),
    "NVIDIA GeForce RTX 2080 Ti": (11264, 7, 9454),
    "NVIDIA GeForce RTX 3080": (10240, 8, 8056),
    "NVIDIA GeForce RTX 3090": (24576, 8, 22289),
    "NVIDIA H200": (143771, 9, 140829),
}


@pytest.mark.parametrize("name", SEEN)
def test_usable_memory_is_what_tensorflow_took(name):
    shown_mib, major, taken_mib = SEEN[name]
    free_bytes = shown_mib * MIB - memory.driver_bytes(shown_mib * MIB)
    usable_mib = memory.usable_bytes(free_bytes, major) / MIB
    assert usable_mib == pytest.approx(taken_mib, rel=0.025)
    assert usable_mib < 1.005 * taken_mib


def test_what_is_left_free_is_what_tensorflow_says():
    left = [memory.left_free_bytes(8 * 2**30, major) // MIB for major in (3, 6, 7, 8, 9, 12)]
    assert left == [500, 500, 1050, 1536, 1800, 1800]
    assert memory.left_free_bytes(2**31 - 1, 9) == 225 * MIB


def test_a_full_card_has_nothing():
    assert memory.usable_bytes(100 * MIB, 8) == 0


def test_names_of_shown_sizes_are_names_of_gpus():
    known = {model.name: model for model in knowledge().gpus.table.rows}
    for row in memory.shown_table.rows:
        sold_mib = known[row.name].memory_gib[0] * 1024
        assert 0.9 * sold_mib < row.mib < sold_mib


def test_two_sizes_come_smallest_first():
    [model] = [one for one in knowledge().gpus.table.rows if one.name == "GH200"]
    assert memory.sizes_bytes(model) == (96 * 2**30, 144 * 2**30)
