"""FG303: library and kernel module of different versions."""

from checks.what_if import what_if

from fitguard.checks.framework.testing import run
from fitguard.schema.facts import Facts
from fitguard.schema.hardware import Container, Driver, KernelLog

NVML = "NVML_ERROR_LIB_RM_VERSION_MISMATCH: Driver/library version mismatch"


def judged(driver, **facts):
    return run("FG303", Facts(driver=driver, **facts))


def test_versions_differ():
    driver = Driver(version="535.183.01", kernel_version="535.129.03", origin="/usr/lib, /proc")
    (finding,) = judged(driver).findings
    assert finding.slug == "driver-library-mismatch"
    assert "535.183.01 against 535.129.03" in finding.title
    assert finding.evidence[0].source == "/usr/lib, /proc"
    assert "Restart the machine" in finding.fix.text
    assert finding.fix.commands == ("cat /proc/driver/nvidia/version",)


def test_nvml_says_so():
    log = KernelLog(True, module_messages=("NVRM: API mismatch: the client has …",), origin="dmesg")
    (finding,) = judged(Driver(nvml_error=NVML), kernel_log=log).findings
    assert finding.severity == "error"
    assert [item.source for item in finding.evidence[1:]] == ["NVML", "dmesg"]


def test_container_has_its_own_library():
    driver = Driver(version="550.1.1", kernel_version="535.1.1", nvml_error=NVML)
    (finding,) = judged(driver, container=Container("docker")).findings
    assert "LD_LIBRARY_PATH" in finding.fix.text


def test_working_nvml_makes_it_less_sure():
    driver = Driver(version="550.1", kernel_version="535.1", cuda="12.4")
    assert judged(driver).findings[0].confidence == "medium"


def test_same_as_far_as_known():
    assert what_if("FG303", "driver=535").passed == ("FG303",)
    assert judged(Driver(version="535", kernel_version="535.129.03")).passed == ("FG303",)


def test_skips_where_one_half_is_unknown():
    assert "not both known" in judged(Driver(version="546.12")).skipped[0].reason
    assert "not both known" in judged(Driver(nvml_error="NVML_ERROR_UNKNOWN")).skipped[0].reason
    assert run("FG303", Facts()).skipped[0].reason == "the GPU driver is not known"
