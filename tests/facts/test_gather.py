import subprocess
import sys
import time
from pathlib import Path

import pytest
from facts.replay_nvml import ReplayNvml

from fitguard.facts import cpu, driver, host, interpreter, libraries, nvml
from fitguard.facts import gather as gathering
from fitguard.facts.gather import gather
from fitguard.facts.nvml import NvmlFacts
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.facts import FailedProbe
from fitguard.schema.hardware import DeviceNode, Driver, PciGpu

ALL = ("python", "platform", "packages", "libraries", "driver", "kernel_log", "container", "cpu")


@pytest.fixture
def no_nvml(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nvml, "read", NvmlFacts)


def fail(*_: object, **__: object) -> None:
    raise RuntimeError("no such luck")


def test_everything_of_this_machine() -> None:
    facts = gather(sys.executable, environment={"TF_CPP_MIN_LOG_LEVEL": "2", "HOME": "/x"})
    assert [name for name in ALL if getattr(facts, name) is None] == []
    assert facts.python
    assert facts.python.version.startswith(f"{sys.version_info[0]}.{sys.version_info[1]}")
    assert facts.environment == {"TF_CPP_MIN_LOG_LEVEL": "2"}
    assert facts.failed_probes == ()


@pytest.mark.parametrize(("module", "field", "name"), [(cpu, "cpu", "cpu"), (host, "host", "host")])
def test_probe_that_raises_costs_its_own_fact(
    monkeypatch: pytest.MonkeyPatch, module: object, field: str, name: str
) -> None:
    monkeypatch.setattr(module, "read", fail)
    facts = gather()
    assert getattr(facts, field) is None
    assert facts.failed_probes == (FailedProbe(name, "RuntimeError: no such luck"),)
    assert facts.driver
    assert facts.container


def test_probe_that_hangs_costs_its_own_fact_and_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nvml, "read", lambda: time.sleep(60))
    start = time.monotonic()
    facts = gather(limit_seconds=1.5)
    assert time.monotonic() - start < 10
    assert facts.gpus is None
    assert facts.driver
    assert facts.driver.nvml_error == "no answer within 1.5 s"
    assert facts.failed_probes == (FailedProbe("nvml", "no answer within 1.5 s"),)
    assert facts.host


def test_process_ends_though_nvml_hangs() -> None:
    code = (
        "import ctypes\n"
        "from fitguard.facts import gather, nvml\n"
        "nvml.read = lambda: ctypes.CDLL(None).sleep(600)\n"
        "print([probe.name for probe in gather.gather(limit_seconds=1.5).failed_probes])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.returncode) == ("['nvml']\n", 0)


def test_wrong_python_reaches_the_caller(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="Expected"):
        gather(str(tmp_path / "no-python"))


@pytest.mark.usefixtures("no_nvml")
def test_interview_that_breaks_costs_the_interpreters_facts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(interpreter, "interview", fail)
    facts = gather()
    assert facts.python is None
    assert facts.libraries is not None
    assert facts.failed_probes == (FailedProbe("interpreter", "RuntimeError: no such luck"),)


@pytest.mark.parametrize("python", ["~nosuchuser/python", "x" * 5000, "py\0thon"])
def test_a_python_that_is_no_path_reaches_the_caller(python: str) -> None:
    with pytest.raises(UsageError, match=r"Received --python .*Expected"):
        gather(python)


def test_nothing_about_a_given_python_is_swallowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interpreter, "interview", fail)
    with pytest.raises(RuntimeError, match="no such luck"):
        gather(sys.executable)


@pytest.mark.usefixtures("no_nvml")
def test_libraries_that_break(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libraries, "find", fail)
    facts = gather()
    assert facts.libraries is None
    assert [failed.name for failed in facts.failed_probes] == ["libraries"]
    assert facts.python


def test_recorded_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nvml, "read", lambda: nvml.ask(ReplayNvml("h200")))
    facts = gather()
    assert [gpu.name for gpu in facts.gpus or ()] == ["NVIDIA H200"]
    assert facts.driver
    assert (facts.driver.version, facts.driver.cuda) == ("580.159.04", "13.0")


def test_nvml_survives_a_driver_probe_that_breaks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nvml, "read", lambda: nvml.ask(ReplayNvml("h200")))
    monkeypatch.setattr(driver, "read", fail)
    facts = gather()
    assert facts.driver
    assert facts.driver.version == "580.159.04"
    assert [failed.name for failed in facts.failed_probes] == ["driver"]


@pytest.mark.usefixtures("no_nvml")
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
def test_no_gpu_is_said_only_where_it_is_sure(
    monkeypatch: pytest.MonkeyPatch, found: Driver, gpus: tuple | None
) -> None:
    monkeypatch.setattr(driver, "read", lambda: found)
    assert gather().gpus == gpus


def test_gathering_is_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """All but the child process; generous, for a machine that does other work."""
    empty = interpreter.Interview()
    monkeypatch.setattr(gathering.interpreter, "interview", lambda *_: empty)
    gather()
    times = []
    for _ in range(5):
        start = time.perf_counter()
        gather()
        times.append(time.perf_counter() - start)
    assert min(times) < 0.25
