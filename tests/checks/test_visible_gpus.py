"""Which GPUs CUDA_VISIBLE_DEVICES leaves."""

from fitguard.checks.derived.visible_gpus import visible
from fitguard.schema.facts import Facts
from fitguard.schema.hardware import Gpu

SMALL = Gpu(index=0, name="GT 710", uuid="GPU-1111")
LARGE = Gpu(index=1, name="RTX 3090", uuid="GPU-2222")


def shown(value, **more):
    facts = Facts(environment={"CUDA_VISIBLE_DEVICES": value, **more})
    return visible((SMALL, LARGE), facts)


def test_all_without_the_variable():
    assert visible((SMALL, LARGE), Facts()).gpus == (SMALL, LARGE)
    assert visible((SMALL, LARGE), Facts(environment={})).count == 2


def test_numbers_of_unlike_gpus_leave_it_open_which_one_it_is():
    assert shown("0").gpus == (SMALL, LARGE)
    assert shown("0").count == 1


def test_numbers_by_the_bus():
    assert shown("1", CUDA_DEVICE_ORDER="PCI_BUS_ID").gpus == (LARGE,)


def test_uuid():
    assert shown("GPU-2").gpus == (LARGE,)


def test_first_wrong_entry_ends_the_list():
    assert shown("1,7,0").count == 1
    assert shown("1,7,0").stopped_at == "7"
    assert shown("").gpus == ()
