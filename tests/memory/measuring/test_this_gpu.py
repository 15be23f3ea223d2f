"""Which GPU a child uses, and how much of it can be had."""

import pytest

from fitguard.memory.measuring.this_gpu import same_gpu, this_gpu, usable_bytes
from fitguard.memory.visible_gpus import hide_gpus
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.hardware import Gpu

GIB = 2**30
GPUS = (
    Gpu(index=0, name="Tesla T4", uuid="GPU-1111", memory_bytes=15 * GIB, used_bytes=0),
    Gpu(index=1, name="NVIDIA H200", uuid="GPU-2222", memory_bytes=140 * GIB, used_bytes=0),
)


@pytest.mark.parametrize(
    ("visible", "name"),
    [(None, "Tesla T4"), ("1,0", "NVIDIA H200"), ("GPU-22", "NVIDIA H200"), ("0", "Tesla T4")],
)
def test_the_first_visible_one(visible, name):
    surrounding = {} if visible is None else {"CUDA_VISIBLE_DEVICES": visible}
    assert this_gpu(GPUS, surrounding).name == name
    hide_gpus(surrounding)
    assert this_gpu(GPUS, surrounding).name == name


@pytest.mark.parametrize(
    ("gpus", "visible", "said"),
    [
        ((), None, "the driver shows none here"),
        (GPUS, "-1", "CUDA_VISIBLE_DEVICES=-1 hides them all"),
        (GPUS, "", "CUDA_VISIBLE_DEVICES= hides them all"),
    ],
)
def test_no_gpu_is_told(gpus, visible, said):
    surrounding = {} if visible is None else {"CUDA_VISIBLE_DEVICES": visible}
    with pytest.raises(UsageError, match=said):
        this_gpu(gpus, surrounding)


def test_what_can_be_had_is_less_than_what_is_free():
    assert 12 * GIB < usable_bytes(GPUS[0], GIB) < 15 * GIB


def test_a_gpu_that_is_taken_is_told():
    taken = Gpu(name="Tesla T4", memory_bytes=15 * GIB, used_bytes=14 * GIB)
    with pytest.raises(UsageError, match=r"14\.0 GiB are taken\. Expected a free GPU\. In a note"):
        usable_bytes(taken, 4 * GIB)
    assert usable_bytes(GPUS[0], 100 * GIB) < 15 * GIB  # free, but too small: that can be measured


def test_names_of_one_model():
    assert same_gpu("RTX 3060", "NVIDIA GeForce RTX 3060")
    assert same_gpu("NVIDIA H200", "NVIDIA H200")
    assert not same_gpu("RTX 3060", "NVIDIA GeForce RTX 3060 Laptop GPU")
    assert not same_gpu("Tesla T4", "NVIDIA H200")
