"""What is done where a GPU or another part of the machine fails."""

import msgspec
import pytest
from supervise.story import NO_GPU, ONE_GPU, TWO_GPUS, Story, end, gpu

from fitguard.environment.machine import MachineView
from fitguard.schema.diagnosis import Diagnosis, FoundCause
from fitguard.schema.finding import Fix
from fitguard.schema.hardware import Xid
from fitguard.schema.probe import ProbeReport, ProbeResult


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


def probed(machine: MachineView, *failing: int, cause: str = "hardware-fault") -> MachineView:
    """These GPUs, of which some fail a probe."""
    found = FoundCause(cause=cause, confidence="high", why="", evidence=(), fix=Fix("Replace it."))
    results = tuple(
        ProbeResult(
            name="matmul-float32",
            device=f"GPU {gpu.index}",
            status="fail" if gpu.index in failing else "pass",
            diagnosis=Diagnosis(primary=cause, causes=(found,)) if gpu.index in failing else None,
        )
        for gpu in machine.gpus
    )
    return msgspec.structs.replace(machine, probed=ProbeReport(results=results))


@pytest.mark.parametrize(
    ("cause", "machine", "wanted"),
    [
        ("hardware-fault", ONE_GPU, True),
        ("hardware-fault", NO_GPU, True),
        ("illegal-memory-access", ONE_GPU, True),
        ("hang", TWO_GPUS, True),
        ("hang", NO_GPU, False),
        ("gpu-oom", ONE_GPU, False),
        ("host-oom", ONE_GPU, False),
    ],
)
def test_the_policy_says_after_which_causes_is_probed(cause, machine, wanted):
    following = Story(machine).ends_with(end(cause=cause))
    assert not following.stop
    assert following.probe is wanted


def test_where_it_stops_anyway_nothing_is_probed():
    following = Story(ONE_GPU).ends_with(end(cause="hardware-fault", xids=(xid(79, 0),)))
    assert following.stop
    assert not following.probe


def test_where_the_probes_pass_it_starts_again_at_once():
    failing = end(cause="hardware-fault", xids=(xid(94, 0),))
    assert Story(ONE_GPU).ends_with(failing).wait_seconds > 0
    following = Story(probed(ONE_GPU)).ends_with(failing)
    assert (following.action, following.wait_seconds) == ("restart", 0.0)
    assert not following.probe


def test_a_gpu_that_fails_its_probe_is_left_out():
    following = Story(probed(TWO_GPUS, 1)).ends_with(end(cause="illegal-memory-access"))
    assert following.action == "leave-out-gpu"
    assert following.orders.environment == {"CUDA_VISIBLE_DEVICES": "GPU-0"}
    assert "without GPU 1 (the probe matmul-float32 fails)" in following.text


@pytest.mark.parametrize(
    ("machine", "failing", "exact_only"),
    [(ONE_GPU, (0,), False), (TWO_GPUS, (0, 1), False), (TWO_GPUS, (1,), True)],
)
def test_it_stops_where_no_gpu_is_left_or_none_may_be_left_out(machine, failing, exact_only):
    story = Story(probed(machine, *failing), exact_only=exact_only)
    following = story.ends_with(end(cause="hang", outcome="hung"))
    assert following.stop
    assert f"GPU {failing[0]} fails the probe matmul-float32" in following.text
    assert following.text.endswith("Replace it.")
    assert ("--exact-only" in following.text) is exact_only


@pytest.mark.parametrize("cause", ["gpu-memory-taken", "framework-bug", "unknown"])
def test_a_probe_without_room_or_at_fault_itself_says_nothing_of_the_gpu(cause):
    machine = probed(ONE_GPU, 0, cause=cause)
    assert Story(machine).ends_with(end(cause="hang", outcome="hung")).action == "restart"
