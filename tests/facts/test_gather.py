import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from facts.replay_nvml import ReplayNvml
from programs import LONGEST_SECONDS

from fitguard.facts import nvml
from fitguard.facts.gather import Sources, gather
from fitguard.facts.interpreter import Interview
from fitguard.facts.nvml import NvmlFacts
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.facts import FailedProbe
from fitguard.schema.hardware import DeviceNode, Driver, PciGpu

ALL = ("python", "platform", "packages", "libraries", "driver", "kernel_log", "container", "cpu")


RECORDED = Sources(nvml=lambda: nvml.ask(ReplayNvml("h200")))


def fail(*_: object, **__: object) -> None:
    raise RuntimeError("no such luck")


def test_everything_of_this_machine() -> None:
    facts = gather(sys.executable, environment={"TF_CPP_MIN_LOG_LEVEL": "2", "HOME": "/x"})
    assert [name for name in ALL if getattr(facts, name) is None] == []
    assert facts.python
    assert facts.python.version.startswith(f"{sys.version_info[0]}.{sys.version_info[1]}")
    assert facts.environment == {"TF_CPP_MIN_LOG_LEVEL": "2"}
    assert facts.failed_probes == ()


@pytest.mark.parametrize("name", ["cpu", "host"])
def test_probe_that_raises_costs_its_own_fact(name: str) -> None:
    facts = gather(sources=Sources(**{name: fail}))
    assert getattr(facts, name) is None
    assert facts.failed_probes == (FailedProbe(name, "RuntimeError: no such luck"),)
    assert facts.driver
    assert facts.container


def test_probe_that_hangs_costs_its_own_fact_and_limit() -> None:
    start = time.monotonic()
    facts = gather(limit_seconds=3, sources=Sources(nvml=lambda: time.sleep(600)))
    assert time.monotonic() - start < LONGEST_SECONDS
    assert facts.gpus is None
    assert facts.driver
    assert facts.driver.nvml_error == "no answer within 3 s"
    assert facts.failed_probes == (FailedProbe("nvml", "no answer within 3 s"),)
    assert facts.host


def test_process_ends_though_nvml_hangs() -> None:
    code = (
        "import ctypes\n"
        "from fitguard.facts.gather import Sources, gather\n"
        "hangs = Sources(nvml=lambda: ctypes.CDLL(None).sleep(600))\n"
        "failed = gather(limit_seconds=3, sources=hangs).failed_probes\n"
        "print([probe.name for probe in failed])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=LONGEST_SECONDS
    )
    assert (done.stdout, done.returncode) == ("['nvml']\n", 0)


def test_wrong_python_reaches_the_caller(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="Expected"):
        gather(str(tmp_path / "no-python"))


def test_interview_that_breaks_costs_the_interpreters_facts() -> None:
    facts = gather(sources=Sources(interview=fail, nvml=NvmlFacts))
    assert facts.python is None
    assert facts.libraries is not None
    assert facts.failed_probes == (FailedProbe("interpreter", "RuntimeError: no such luck"),)


@pytest.mark.parametrize("python", ["~nosuchuser/python", "x" * 5000, "py\0thon"])
def test_a_python_that_is_no_path_reaches_the_caller(python: str) -> None:
    with pytest.raises(UsageError, match=r"Received --python .*Expected"):
        gather(python)


def test_nothing_about_a_given_python_is_swallowed() -> None:
    with pytest.raises(RuntimeError, match="no such luck"):
        gather(sys.executable, sources=Sources(interview=fail))


def test_libraries_that_break() -> None:
    facts = gather(sources=Sources(libraries=fail, nvml=NvmlFacts))
    assert facts.libraries is None
    assert [failed.name for failed in facts.failed_probes] == ["libraries"]
    assert facts.python


def test_recorded_gpu() -> None:
    facts = gather(sources=RECORDED)
    assert [gpu.name for gpu in facts.gpus or ()] == ["NVIDIA H200"]
    assert facts.driver
    assert (facts.driver.version, facts.driver.cuda) == ("580.159.04", "13.0")


def test_nvml_survives_a_driver_probe_that_breaks() -> None:
    facts = gather(sources=replace(RECORDED, driver=fail))
    assert facts.driver
    assert facts.driver.version == "580.159.04"
    assert [failed.name for failed in facts.failed_probes] == ["driver"]


@pytest.mark.parametrize(
    ("found", "gpus"),
    [
        (Driver(pci=()), ()),
        (Driver(pci=None), None),
        (Driver(pci=(PciGpu("0000:01:00.0", "0x2335"),)), None),
        (Driver(pci=(), kernel_version="580.159.04"), None),
        (Driver(pci=(), nodes=(DeviceNode("/dev/dxg", True),)), None),
    ],
)
def test_no_gpu_is_said_only_where_it_is_sure(found: Driver, gpus: tuple | None) -> None:
    assert gather(sources=Sources(driver=lambda: found, nvml=NvmlFacts)).gpus == gpus


def test_gathering_is_quick() -> None:
    """All but the child process, in time of the processor: others may be busy on the machine."""
    childless = Sources(interview=lambda *_: Interview())
    gather(sources=childless)
    times = []
    for _ in range(5):
        start = time.process_time()
        gather(sources=childless)
        times.append(time.process_time() - start)
    assert min(times) < 0.25
