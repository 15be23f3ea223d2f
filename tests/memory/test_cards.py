"""The card that a plan is for."""

import pytest

from fitguard.knowledge import knowledge
from fitguard.memory.cards import card
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.hardware import Gpu, GpuProcess

GIB = 2**30
MIB = 2**20


@pytest.mark.parametrize(
    ("name", "mib", "capability"),
    [
        ("RTX 3060 12GB", 12288, "8.6"),
        ("rtx3060 8gb", 8192, "8.6"),
        ("NVIDIA GeForce RTX 3060 Laptop GPU", 6144, "8.6"),
        ("RTX 4060 Ti 16 GB", 16384, "8.9"),
        ("Tesla T4", 15360, "7.5"),
        ("T4 16GB", 15360, "7.5"),
        ("NVIDIA A100-SXM4-80GB", 81920, "8.0"),
        ("V100-32GB", 32768, "7.0"),
        ("NVIDIA H100 80GB HBM3", 81559, "9.0"),
        ("H200", 143771, "9.0"),
        ("K80", 11441, "3.7"),
        ("4090", 24564, "8.9"),
    ],
)
def test_a_card_by_its_name(name, mib, capability):
    found = card(name)
    assert (found.memory_bytes, found.compute_capability) == (mib * MIB, capability)
    assert found.origin == "table"
    assert "is sold with" not in found.note
    assert 0.5 * found.memory_bytes < found.usable_bytes < found.free_bytes < found.memory_bytes


@pytest.mark.parametrize(
    ("name", "gib", "sizes"),
    [
        ("RTX 3060", 8, "8.0 GiB or 12.0 GiB"),
        ("RTX 3080", 10, "10.0 GiB or 12.0 GiB"),
        ("RTX 4060 Ti", 8, "8.0 GiB or 16.0 GiB"),
        ("V100", 16, "16.0 GiB or 32.0 GiB"),
        ("A100", 40, "40.0 GiB or 80.0 GiB"),
        ("NVIDIA GH200 480GB", 96, "96.0 GiB or 144.0 GiB"),
    ],
)
def test_of_two_sizes_the_smaller_is_taken_and_said(name, gib, sizes):
    found = card(name)
    assert found.memory_bytes == gib * GIB
    assert f"{name} is sold with {sizes}: the smallest is assumed" in found.note


def test_who_says_h100_does_not_mean_the_rare_one():
    assert card("H100").memory_bytes == 81559 * MIB
    assert card("H100 64GB").memory_bytes == 64 * GIB


def test_a_desktop_is_said_where_there_may_be_one():
    assert "A desktop on this card holds" in card("RTX 3070").note
    assert card("RTX 3070", free="7GiB").note == card("Tesla T4").note == ""


def test_memory_that_the_cpu_shares_is_told():
    assert "shared with the CPU" in card("Jetson Nano").note


@pytest.mark.parametrize("model", knowledge().gpus.table.rows, ids=lambda model: model.name)
def test_every_gpu_has_a_card(model):
    assert card(model.name).memory_bytes <= min(model.memory_gib) * GIB


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("RTX 3600", "nearest names are: .*RTX 3060"),
        ("Radeon 7900", "no GPU that fitguard knows"),
        ("", "no GPU that fitguard knows"),
        ("RTX 50", "a series of GPUs. Its models are: GeForce RTX 5050, .*GeForce RTX 5090"),
        ("RTX 3060 4GB", "sold with 8.0 GiB or 12.0 GiB only"),
    ],
)
def test_a_name_that_is_none_is_refused(name, told):
    with pytest.raises(UsageError, match=told) as refusal:
        card(name)
    assert f"Received gpu={name!r}" in str(refusal.value)
    assert "gpu_memory=" in str(refusal.value)


def test_a_size_beside_a_name_counts():
    found = card("RTX 3060 4GB", gpu_memory="4GiB")
    assert (found.memory_bytes, found.compute_capability) == (4 * GIB, "8.6")
    assert found.origin == "given"
    assert "is sold with" not in found.note


def test_a_size_alone():
    found = card(gpu_memory="8GiB")
    assert (found.name, found.memory_bytes, found.origin) == ("", 8 * GIB, "given")
    assert found.usable_bytes == card("RTX 3070").usable_bytes


def test_what_is_free_is_taken_as_given():
    whole = card("RTX 3090")
    part = card("RTX 3090", free="10GiB")
    assert part.free_bytes == 10 * GIB
    assert whole.usable_bytes - part.usable_bytes == whole.free_bytes - 10 * GIB
    with pytest.raises(UsageError, match=r"free=30.0 GiB of a card with 24.0 GiB"):
        card("RTX 3090", free="30GiB")


def test_free_memory_alone_is_a_card():
    assert card(free="6.5GiB").free_bytes == int(6.5 * GIB)


def test_nothing_known_is_no_card():
    assert card() is None
    assert card(gpus=()) is None
    assert card(gpus=[Gpu(problem="GPU is lost")]) is None


def _gpu(used_gib, **facts):
    known = {"name": "NVIDIA RTX A5000", "compute_capability": "8.6", "memory_bytes": 24 * GIB}
    return Gpu(**known | facts, used_bytes=int(used_gib * GIB))


def test_the_gpu_of_this_machine():
    found = card(gpus=[_gpu(0)])
    assert (found.name, found.origin) == ("NVIDIA RTX A5000", "this machine")
    assert found.usable_bytes == card(gpu_memory=24 * GIB).usable_bytes


def test_what_others_hold_is_not_free_but_what_this_process_holds_is():
    processes = (GpuProcess(1, "python", 5 * GIB), GpuProcess(2, "python", 3 * GIB, own=True))
    found = card(gpus=[_gpu(8, processes=processes)])
    assert card(gpus=[_gpu(0)]).free_bytes - found.free_bytes == 5 * GIB


def test_of_several_gpus_the_fullest_counts_and_a_parted_one_not():
    fullest = _gpu(20, name="full")
    assert card(gpus=[_gpu(0), fullest, _gpu(23, mig_enabled=True)]).name == "full"


def test_a_name_that_is_given_beats_the_machine():
    assert card("T4", gpus=[_gpu(0)]).origin == "table"
