"""Rates beside the data sheet, and why one may be low."""

import re

import msgspec
import pytest
from facts.replay_nvml import ReplayNvml

from fitguard.facts import gpu as gpu_facts
from fitguard.probes.devices import Device
from fitguard.probes.rates import judge_rates, note_unknown_cards
from fitguard.schema.hardware import Gpu, GpuProcess
from fitguard.schema.probe import Rate

GIB = 2**30
(H200,) = gpu_facts.read(ReplayNvml("h200"))
T4 = Gpu(index=3, name="Tesla T4", memory_bytes=15 * GIB)


def judge(gpu: Gpu, name: str, value: float, measured: dict | None = None) -> Rate:
    unit = "TFLOP/s" if name.startswith("matmul") else "GB/s"
    told = [{"name": name, "value": value, "unit": unit}]
    device = Device(label="GPU 0", gpus=(gpu,), is_gpu=True)
    (rate,) = judge_rates(told, device, measured or {})
    return rate


def change(gpu: Gpu, **fields: object) -> Gpu:
    return msgspec.structs.replace(gpu, **fields)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("matmul-float32", 67.0),
        ("matmul-tf32", 494.7),
        ("matmul-float16", 989.4),
        ("matmul-bfloat16", 989.4),
        ("device-memory", 4800.0),
        ("host-to-device", 63.0),
        ("peer-copy", 450.0),
    ],
)
def test_a_recorded_h200_beside_its_data_sheet(name: str, expected: float) -> None:
    fine = judge(H200, name, 0.7 * expected)
    assert (fine.expected, fine.verdict, fine.reasons) == (expected, "fine", ())
    assert "data sheet" in fine.source
    assert judge(H200, name, 0.01 * expected).verdict == "slow"


def test_what_is_faster_than_the_card_can_be_is_not_believed() -> None:
    rate = judge(H200, "host-to-device", 757.2)
    assert rate.verdict == "unknown"
    assert "more than the data sheet allows" in rate.reasons[0]


def test_what_no_card_has_is_unknown() -> None:
    assert judge(T4, "matmul-bfloat16", 2.0).verdict == "unknown"
    assert judge(T4, "batches", 2.0).verdict == "unknown"
    assert judge_rates([{"name": "copies", "value": 1, "unit": "GB/s"}], Device(label="CPU"), {})


def test_an_unknown_card_is_noted_once() -> None:
    new = Gpu(name="NVIDIA Z900")
    assert judge(new, "matmul-float32", 1.0).verdict == "unknown"
    devices = [Device(label="GPU 0", gpus=(new,)), Device(label="GPU 1", gpus=(new, T4))]
    (note,) = note_unknown_cards(devices)
    assert "NVIDIA Z900" in note
    assert note_unknown_cards([Device(label="GPU 0", gpus=(H200,))]) == ()


def test_a_name_that_leaves_the_card_open_counts_as_the_slowest() -> None:
    assert judge(Gpu(name="H100"), "device-memory", 1900.0).expected == 2000.0


def test_what_was_not_verified_has_to_be_missed_by_more() -> None:
    unsure = judge(Gpu(name="NVIDIA GB10"), "matmul-float32", 7.0)
    assert unsure.verdict == "fine"
    assert unsure.source.endswith("not verified")


def test_a_part_of_a_gpu_is_not_judged() -> None:
    part = judge(change(H200, mig_enabled=True), "matmul-float16", 100.0)
    assert part.verdict == "unknown"
    assert "MIG" in part.reasons[0]


@pytest.mark.parametrize(
    ("gpu", "measured", "reason"),
    [
        (T4, {"gpu_throttle_reasons:3": 0x04, "gpu_power_limit:3": 70.0}, "power limit of 70 W"),
        (T4, {"gpu_throttle_reasons:3": 0x48, "gpu_temperature:3": 91.0}, "too hot .* at 91 °C"),
        (T4, {"gpu_throttle_reasons:3": 0x80}, "power brake"),
        (T4, {"gpu_throttle_reasons:3": 0x08}, "for heat or for the power supply"),
        (change(T4, throttled_by=("sw-thermal",)), {}, "too hot"),
        (
            T4,
            {"gpu_clock:3": 6e8, "gpu_clock_limit:3": 1.59e9, "gpu_busy_ratio:3": 1.0},
            "600 MHz, and can be 1590 MHz",
        ),
        (change(T4, power_limit_watts=50.0, power_default_watts=70.0), {}, "limit to 50 W"),
        (change(T4, ecc_enabled=True), {}, "ECC is on"),
        (
            change(T4, processes=(GpuProcess(7, "train", GIB), GpuProcess(8, "us", GIB, own=True))),
            {},
            r"1 other process used the GPU, with 1\.0 GiB",
        ),
    ],
)
def test_why_it_may_be_slow(gpu: Gpu, measured: dict, reason: str) -> None:
    rate = judge(gpu, "device-memory", 20.0, measured)
    assert rate.verdict == "slow"
    assert len(rate.reasons) == 1
    assert re.search(reason, rate.reasons[0])


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"pcie_width": 1}, "has 1 lane, and the card can use 16"),
        ({"pcie_generation_most": 3, "pcie_generation": 3}, "offers PCIe generation 3"),
        ({"pcie_generation": 1}, "generation 1 of 5 before the probe"),
    ],
)
def test_a_narrow_link(fields: dict, reason: str) -> None:
    rate = judge(change(H200, **fields), "host-to-device", 0.9)
    assert len(rate.reasons) == 1
    assert reason in rate.reasons[0]


def test_idle_clocks_and_other_gpus_say_nothing() -> None:
    idle = {"gpu_clock:3": 3e8, "gpu_clock_limit:3": 1.59e9, "gpu_busy_ratio:3": 0.0}
    other = {"gpu_throttle_reasons:0": 0x48}
    assert judge(T4, "matmul-float32", 0.1, {**idle, **other}).reasons == ()
    hbm = change(H200, ecc_enabled=True, processes=())
    assert judge(hbm, "device-memory", 20.0).reasons == ()
