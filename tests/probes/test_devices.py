"""Which devices are probed, and how a child sees one of them alone."""

import msgspec
import pytest

from fitguard.facts.nvml import NvmlFacts
from fitguard.probes.devices import join, list_devices
from fitguard.probes.probing import note_left_out
from fitguard.probes.registry import select_probes
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.hardware import Gpu

TWO = tuple(Gpu(index=number, name="NVIDIA H200", uuid=f"GPU-{number}") for number in (0, 1))


def list_here(wanted: str = "all", gpus: tuple[Gpu, ...] = TWO, **environment: str):
    return list_devices(wanted, environment, lambda: NvmlFacts(gpus=gpus))


def test_each_gpu_is_seen_alone_and_by_its_uuid() -> None:
    devices = list_here()
    assert [device.label for device in devices] == ["GPU 0", "GPU 1"]
    assert [device.environment for device in devices] == [
        {"CUDA_VISIBLE_DEVICES": "GPU-0"},
        {"CUDA_VISIBLE_DEVICES": "GPU-1"},
    ]
    together = join(devices)
    assert together is not None
    assert (together.label, together.count) == ("GPU 0, 1", 2)
    assert together.environment == {"CUDA_VISIBLE_DEVICES": "GPU-0,GPU-1"}


def test_hidden_gpus_are_not_probed() -> None:
    assert [device.label for device in list_here(CUDA_VISIBLE_DEVICES="1")] == ["GPU 1"]
    assert join(list_here("0")) is None


def test_what_needs_several_gpus_is_said_to_be_left_out() -> None:
    quick = select_probes("quick")
    (note,) = note_left_out(quick, list_here("0"))
    assert note == "peer-copies and all-reduce need several GPUs without MIG, and were not tried."
    assert note_left_out(quick, list_here()) == ()
    assert note_left_out(quick, list_here(gpus=())) == ()
    assert note_left_out(select_probes("quick", ("copies",)), list_here("0")) == ()


def test_without_a_gpu_it_is_the_cpu_in_two_parts() -> None:
    (device,) = list_here(gpus=())
    assert (device.label, device.is_gpu) == ("CPU", False)
    together = join([device])
    assert together is not None
    assert together.count == 2


def test_a_gpu_with_mig_is_taken_as_it_is_shown() -> None:
    parted = (msgspec.structs.replace(TWO[0], mig_enabled=True),)
    (device,) = list_here(gpus=parted, CUDA_VISIBLE_DEVICES="MIG-7")
    assert device.label == "GPU 0 (MIG)"
    assert device.environment == {"CUDA_VISIBLE_DEVICES": "MIG-7"}
    assert join([device]) is None


@pytest.mark.parametrize("wanted", ["2", "0,7"])
def test_a_gpu_that_is_not_there(wanted: str) -> None:
    with pytest.raises(
        UsageError, match=rf"Received --device {wanted}\. .* can be seen here: 0, 1"
    ):
        list_here(wanted)
