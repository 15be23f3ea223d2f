"""FG311: heat, and the power brake."""

import pytest

from fitguard.checks.framework.testing import run
from fitguard.schema.facts import Facts
from fitguard.schema.hardware import Gpu


def judged(**fields):
    return run("FG311", Facts(gpus=(Gpu(index=1, origin="NVML", **fields),)))


@pytest.mark.parametrize(("temperature", "fires"), [(86, False), (87, True), (95, True)])
def test_boundary(temperature, fires):
    report = judged(temperature_celsius=temperature, slowdown_celsius=90)
    assert bool(report.findings) is fires


def test_near_the_limit():
    (finding,) = judged(temperature_celsius=88, slowdown_celsius=90).findings
    assert finding.slug == "gpu-hot"
    assert finding.severity == "warning"
    assert finding.title == "GPU 1 is at 88 °C, and slows down at 90 °C"
    assert finding.evidence[0].source == "NVML"
    assert finding.fix.commands == ("nvidia-smi -i 1 -q -d TEMPERATURE,POWER,PERFORMANCE",)


@pytest.mark.parametrize("reason", ["sw-thermal", "hw-thermal"])
def test_slowed_by_heat(reason):
    (finding,) = judged(temperature_celsius=70, throttled_by=(reason, "sw-power-cap")).findings
    assert finding.title == "GPU 1 is slowed down by heat at 70 °C"
    assert finding.evidence[1].text == f"clocks lowered by: {reason}"


def test_power_brake():
    (finding,) = judged(throttled_by=("hw-power-brake",)).findings
    assert "power brake" in finding.title
    assert "power cables" in finding.fix.text


@pytest.mark.parametrize(
    "fields",
    [
        {"temperature_celsius": 60, "slowdown_celsius": 90, "throttled_by": ("sw-power-cap",)},
        {"temperature_celsius": 99},
    ],
    ids=["power-cap-is-normal", "limit-unknown"],
)
def test_fine(fields):
    assert judged(**fields).passed == ("FG311",)


def test_skips_without_a_temperature():
    assert judged().skipped[0].reason == "the temperature of the GPU is not known"
