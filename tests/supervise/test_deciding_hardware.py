"""What is done where a GPU or another part of the machine fails."""

import msgspec
import pytest
from supervise.story import ONE_GPU, TWO_GPUS, Story, end, gpu

from fitguard.environment.machine import MachineView
from fitguard.schema.hardware import Xid


def xid(number: int, index: int) -> Xid:
    return Xid(number, f"Xid {number}", f"0000:0{index}:00.0")


def test_a_sick_gpu_is_left_out_where_another_remains():
    story = Story(TWO_GPUS)
    following = story.ends_with(end(cause="hardware-fault", xids=(xid(79, 0),)))
    assert following.action == "leave-out-gpu"
    assert following.orders.environment == {"CUDA_VISIBLE_DEVICES": "GPU-1"}
    assert "without GPU 0 (Xid 79)" in following.text


def test_a_gpu_without_a_name_is_left_out_by_number():
    nameless = tuple(msgspec.structs.replace(one, uuid=None) for one in TWO_GPUS.gpus)
    story = Story(MachineView(gpus=nameless))
    following = story.ends_with(end(cause="hardware-fault", xids=(xid(48, 1),)))
    assert following.orders.environment == {
        "CUDA_VISIBLE_DEVICES": "0",
        "CUDA_DEVICE_ORDER": "PCI_BUS_ID",
    }


def test_a_gpu_that_is_lost_to_the_driver_is_sick():
    machine = MachineView(gpus=(gpu(0), gpu(1, problem="GPU is lost")))
    following = Story(machine).ends_with(end(cause="hardware-fault"))
    assert following.orders.environment == {"CUDA_VISIBLE_DEVICES": "GPU-0"}
    assert "GPU 1 (GPU is lost)" in following.text


@pytest.mark.parametrize(("number", "action"), [(94, "restart"), (79, "stop"), (95, "stop")])
def test_the_only_gpu_gets_one_restart_where_that_clears_the_fault(number, action):
    story = Story(ONE_GPU)
    failing = end(cause="hardware-fault", xids=(xid(number, 0),))
    assert story.ends_with(failing).action == action
    assert story.ends_with(failing).stop


def test_parted_gpus_cannot_be_left_out():
    machine = MachineView(gpus=(gpu(0, mig_enabled=True), gpu(1)))
    following = Story(machine).ends_with(end(cause="hardware-fault", xids=(xid(79, 0),)))
    assert following.stop


def test_exact_only_does_not_change_the_gpus():
    story = Story(TWO_GPUS, exact_only=True)
    assert story.ends_with(end(cause="hardware-fault", xids=(xid(79, 0),))).stop


def test_an_illegal_access_is_first_taken_for_the_programs_fault():
    story = Story(TWO_GPUS)
    failing = end(cause="illegal-memory-access", xids=(xid(31, 0),), signal="SIGABRT")
    assert story.until_it_stops(failing)[:2] == ["restart", "leave-out-gpu"]
