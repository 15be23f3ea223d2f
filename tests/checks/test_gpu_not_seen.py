"""FG313: TensorFlow sees fewer GPUs than the driver."""

import pytest

from fitguard.checks.framework.runner import judge_machine
from fitguard.checks.framework.testing import run
from fitguard.schema.facts import Facts
from fitguard.schema.hardware import Gpu
from fitguard.schema.software import DeepImport, TensorFlow

BUILT = TensorFlow(version="2.18.0", cuda_build=True)
ONE = (Gpu(index=0, name="NVIDIA H200", origin="NVML"),)
DLOPEN = "W0000 gpu_device.cc:2344] Cannot dlopen some GPU libraries. Please make sure …"


def judged(seen, gpus=ONE, tensorflow=BUILT, environment=None, log=(), version="2.18.0"):
    deep = DeepImport(version=version, gpus=seen, log=log)
    facts = Facts(tensorflow=tensorflow, gpus=gpus, deep=deep, environment=environment)
    return run("FG313", facts)


def test_none_is_seen():
    (finding,) = judged((), log=("2026 something else", DLOPEN)).findings
    assert (finding.slug, finding.severity) == ("gpu-not-seen", "error")
    assert finding.title == "TensorFlow 2.18.0 sees 0 of 1 GPU"
    assert [item.source for item in finding.evidence] == [
        "NVML",
        "import in a child process",
        "TensorFlow's log",
    ]
    assert finding.evidence[-1].text == DLOPEN


def test_log_without_a_telling_line_is_quoted_as_it_is():
    (finding,) = judged((), log=("a", "b")).findings
    assert [item.text for item in finding.evidence[-2:]] == ["a", "b"]


def test_some_are_seen():
    (finding,) = judged(("/physical_device:GPU:0",), gpus=ONE * 2).findings
    assert finding.severity == "warning"


@pytest.mark.parametrize(
    ("gpus", "environment"),
    [
        (ONE, None),
        (ONE * 2, {"CUDA_VISIBLE_DEVICES": "0"}),
        ((Gpu(mig_enabled=True), Gpu()), None),
    ],
    ids=["all", "others-hidden", "mig"],
)
def test_fine(gpus, environment):
    report = judged(("/physical_device:GPU:0",), gpus=gpus, environment=environment)
    assert report.passed == ("FG313",)


def test_known_reason_comes_first():
    deep = DeepImport(version="2.18.0", gpus=())
    hidden = {"CUDA_VISIBLE_DEVICES": "GPU-1"}
    gpus = (Gpu(uuid="GPU-2222"), Gpu(uuid="GPU-1111"))
    facts = Facts(tensorflow=BUILT, gpus=gpus, deep=deep, environment=hidden)
    assert [item.code for item in judge_machine(facts, select=["FG309", "FG313"]).findings] == [
        "FG313"
    ]
    wrong = Facts(tensorflow=BUILT, gpus=ONE, deep=deep, environment={"CUDA_VISIBLE_DEVICES": "-1"})
    report = judge_machine(wrong, select=["FG309", "FG313"])
    assert [item.code for item in report.findings] == ["FG309"]
    assert "fix FG309 first" in report.skipped[0].reason


def test_skips():
    cpu = TensorFlow(version="2.18.0", package="tensorflow-cpu", cuda_build=False)
    assert "built without CUDA" in judged((), tensorflow=cpu).skipped[0].reason
    assert "not imported to the end" in judged(None, version=None).skipped[0].reason
    assert "--deep" in run("FG313", Facts(gpus=ONE)).skipped[0].reason
