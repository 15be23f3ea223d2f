"""FG310: Xids, memory errors, failed memory."""

import pytest

from fitguard.checks.framework.testing import run
from fitguard.schema.facts import Facts
from fitguard.schema.hardware import Gpu, KernelLog, Xid

ADDRESS = "0000:65:00.0"
WELL = Gpu(index=2, name="NVIDIA A100", pci_address=ADDRESS, origin="NVML")
LINE = "NVRM: Xid (PCI:0000:65:00): {}, pid=4711, name=python"


def with_xids(*numbers, gpus=(WELL,), address=ADDRESS):
    xids = tuple(
        Xid(number, LINE.format(number), address, "/var/log/kern.log", line)
        for line, number in enumerate(numbers, 1)
    )
    return run("FG310", Facts(gpus=gpus, kernel_log=KernelLog(True, xids=xids)))


def with_gpu(**fields):
    return run("FG310", Facts(gpus=(Gpu(index=2, origin="NVML", **fields),)))


@pytest.mark.parametrize("number", [48, 62, 64, 79, 95, 119, 120, 140])
def test_hardware_faults(number):
    (finding,) = with_xids(number).findings
    assert finding.slug == "gpu-unhealthy"
    assert finding.severity == "error"
    assert f"GPU 2 logged Xid {number}, " in finding.title
    assert finding.evidence[0].text == LINE.format(number)
    assert (finding.evidence[0].source, finding.evidence[0].line) == ("/var/log/kern.log", 1)
    assert finding.fix.commands == ("nvidia-smi -i 2 -q -d ECC,PAGE_RETIREMENT,ROW_REMAPPER",)


@pytest.mark.parametrize("number", [74, 94, 9999])
def test_doubtful_faults(number):
    (finding,) = with_xids(number).findings
    assert (finding.severity, finding.confidence) == ("warning", "medium")


@pytest.mark.parametrize("number", [13, 31])
def test_a_programs_fault(number):
    (finding,) = with_xids(number, number).findings
    assert finding.severity == "info"
    assert "a program's fault" in finding.title
    assert "(2 times)" in finding.title
    assert finding.evidence[0].line == 2
    assert "the program did it" in finding.fix.text


@pytest.mark.parametrize("number", [43, 45, 63, 106, 154])
def test_harmless(number):
    assert with_xids(number).passed == ("FG310",)


def test_hardware_comes_before_the_program():
    (finding,) = with_xids(31, 45, 79).findings
    assert "Xid 79" in finding.title
    assert len(finding.evidence) == 1


def test_gpu_that_nvml_no_longer_lists():
    (finding,) = with_xids(79, gpus=()).findings
    assert "The GPU at 0000:65:00.0" in finding.title
    other = Gpu(index=0, pci_address="0000:17:00.0")
    assert "The GPU at 0000:65:00.0" in with_xids(79, gpus=(other,)).findings[0].title


def test_xid_without_an_address_belongs_to_the_only_gpu():
    assert with_xids(79, address=None).findings[0].title.startswith("GPU 2")
    assert with_xids(79, address=None, gpus=(WELL, WELL)).findings[0].title.startswith("A GPU")


@pytest.mark.parametrize(
    ("fields", "severity"),
    [
        ({"ecc_uncorrected": 1}, "error"),
        ({"retirement_pending": True}, "error"),
        ({"remapped_rows_failed": True}, "error"),
        ({"recovery_action": "node-reboot"}, "error"),
        ({"problem": "GPU is lost"}, "error"),
        ({"remapped_rows_pending": True}, "warning"),
        ({"recovery_action": "drain-p2p"}, "warning"),
        ({"ecc_uncorrected": 0, "ecc_uncorrected_lifetime": 3}, "info"),
        ({"retired_pages": 2, "retirement_pending": False}, "info"),
    ],
)
def test_what_nvml_counts(fields, severity):
    (finding,) = with_gpu(**fields).findings
    assert finding.severity == severity
    assert finding.evidence[0].source == "NVML"


def test_gravest_first():
    (finding,) = with_gpu(remapped_rows_pending=True, ecc_uncorrected=2, retired_pages=1).findings
    assert "2 uncorrected memory errors" in finding.title
    assert len(finding.evidence) == 2


def test_well():
    fine = {"ecc_uncorrected": 0, "ecc_uncorrected_lifetime": 0, "recovery_action": "none"}
    assert with_gpu(**fine, retired_pages=0, remapped_rows_failed=False).passed == ("FG310",)


def test_commands_never_reset():
    for report in (with_xids(79), with_gpu(ecc_uncorrected=1)):
        assert not any("reset" in command for command in report.findings[0].fix.commands)


def test_skips_where_nothing_is_known():
    log = KernelLog(False, problem="Operation not permitted")
    assert "Operation not permitted" in run("FG310", Facts(kernel_log=log)).skipped[0].reason
    assert run("FG310", Facts(gpus=())).skipped[0].code == "FG310"
