"""FG401: memory that other processes hold."""

import pytest

from fitguard.checks.framework.testing import run
from fitguard.schema.facts import Facts
from fitguard.schema.hardware import Gpu, GpuProcess

GIB = 2**30
MIB = 2**20


def gpu(used_bytes, *processes, memory_bytes=16 * GIB, **fields):
    return Gpu(
        memory_bytes=memory_bytes,
        used_bytes=used_bytes,
        processes=processes,
        origin="NVML",
        **fields,
    )


def judged(*gpus, environment=None):
    return run("FG401", Facts(gpus=gpus, environment=environment))


def test_another_training():
    (finding,) = judged(gpu(8 * GIB, GpuProcess(4711, "/usr/bin/python3", 8 * GIB))).findings
    assert (finding.slug, finding.severity) == ("gpu-busy", "warning")
    assert finding.title == "Other processes hold 8.0 GiB of the 16.0 GiB of GPU 0"
    assert finding.evidence[1].text == "process 4711 /usr/bin/python3 holds 8.0 GiB"
    assert finding.evidence[1].source == "NVML"
    assert finding.fix.commands[0] == "ps -o pid,user,etime,args -p 4711"
    assert not any("kill" in command for command in finding.fix.commands)


@pytest.mark.parametrize(
    ("used_bytes", "memory_bytes", "severity"),
    [
        (1 * GIB, 8 * GIB, "warning"),
        (1 * GIB - 1, 8 * GIB, None),
        (2 * GIB, 40 * GIB, None),
        (4 * GIB, 40 * GIB, "warning"),
        (700 * MIB, 1 * GIB, "error"),
        (16 * GIB - 499 * MIB, 16 * GIB, "error"),
        (15 * GIB, 16 * GIB, "warning"),
        (39 * GIB, 40 * GIB, "error"),
        (0, 16 * GIB, None),
    ],
)
def test_boundaries(used_bytes, memory_bytes, severity):
    findings = judged(gpu(used_bytes, memory_bytes=memory_bytes)).findings
    assert [item.severity for item in findings] == ([severity] if severity else [])


def test_processes_of_other_containers():
    (finding,) = judged(gpu(16 * GIB - 300 * MIB)).findings
    assert "another container" in finding.evidence[-1].text
    assert "host" in finding.fix.text


def test_own_memory_does_not_count():
    assert judged(gpu(8 * GIB, GpuProcess(1, "python", 8 * GIB, own=True))).passed == ("FG401",)


def test_at_most_five_processes_are_named():
    many = [GpuProcess(pid, "python", (pid + 1) * GIB) for pid in range(7)]
    (finding,) = judged(gpu(28 * GIB, *many, memory_bytes=40 * GIB)).findings
    assert finding.evidence[1].text.startswith("process 6 ")
    assert finding.evidence[-1].text == "and 2 more processes"
    assert len(finding.evidence) == 7


def test_another_gpu_is_free():
    (finding,) = judged(gpu(8 * GIB, index=0), gpu(0, index=1)).findings
    assert finding.fix.commands[-2:] == (
        "export CUDA_DEVICE_ORDER=PCI_BUS_ID",
        "export CUDA_VISIBLE_DEVICES=1",
    )


def test_hidden_and_parted_gpus_do_not_count():
    hidden = {"CUDA_VISIBLE_DEVICES": "1"}
    gpus = (gpu(15 * GIB, index=0), gpu(0, index=1))
    assert judged(*gpus, environment=hidden).passed == ("FG401",)
    assert judged(gpu(15 * GIB, mig_enabled=True)).skipped


def test_skips_without_figures():
    assert judged(Gpu()).skipped[0].reason == "how much GPU memory is in use is not known"
    assert run("FG401", Facts()).skipped[0].reason == "the GPU is not known"
