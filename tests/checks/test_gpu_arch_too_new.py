"""FG307: the GPU is newer than what the build or the toolkit serves."""

import pytest
from checks.what_if import what_if

from fitguard.checks.framework.testing import run
from fitguard.schema.facts import Facts
from fitguard.schema.hardware import Gpu
from fitguard.schema.software import TensorFlow


@pytest.mark.parametrize("tensorflow", ["2.16", "2.18", "2.21"])
def test_blackwell_has_no_wheel(tensorflow):
    (finding,) = what_if("FG307", f"tf={tensorflow}", "gpu=RTX 5090").findings
    assert finding.slug == "gpu-arch-too-new"
    assert (finding.severity, finding.confidence) == ("error", "high")
    assert finding.evidence[0].source == "--what-if gpu=RTX 5090"
    reports = [item for item in finding.evidence if "CUDA_ERROR_INVALID_PTX" in item.text]
    assert "89272" in reports[0].text
    assert "ptx_failures" in reports[0].source
    assert "25.02-tf2-py3" in finding.fix.text
    assert finding.fix.commands == ()


@pytest.mark.parametrize(
    ("tensorflow", "gpu", "first"),
    [("2.3", "RTX 3090", "2.4"), ("1.15", "A100", "2.4"), ("2.10", "H100", "2.16")],
)
def test_libraries_have_no_code(tensorflow, gpu, first):
    (finding,) = what_if("FG307", f"tf={tensorflow}", f"gpu={gpu}").findings
    assert f"TensorFlow {first} " in finding.fix.text
    assert any("cuda_arch" in item.source for item in finding.evidence)
    assert "pip install" in finding.fix.commands[0]


def test_old_release_brings_its_cuda_from_conda():
    (finding,) = what_if("FG307", "tf=2.3", "gpu=RTX 3090", "python=3.8").findings
    assert finding.fix.commands == (
        'python -m pip install "tensorflow==2.4.4" "protobuf<3.21"',
        "conda install -c conda-forge cudatoolkit=11.0 cudnn=8.0",
    )


def test_the_python_at_hand_chooses():
    (finding,) = what_if("FG307", "tf=2.3", "gpu=RTX 3090", "python=3.12").findings
    assert finding.fix.commands == ('python -m pip install "tensorflow[and-cuda]==2.16.2"',)


def test_cuda_alone():
    (finding,) = what_if("FG307", "cuda=12.2", "gpu=RTX 5090").findings
    assert finding.confidence == "medium"
    assert finding.title.startswith("CUDA 12.2 has no code for the RTX 5090")
    assert what_if("FG307", "cuda=12.8", "gpu=RTX 5090").passed == ("FG307",)


def test_machine_code_alone_is_not_compiled_for_newer_gpus():
    own = TensorFlow(version="2.18.0", cuda="12.8", capabilities=("sm_80",))
    facts = Facts(tensorflow=own, gpus=(Gpu(name="RTX 5090", compute_capability="12.0"),))
    assert run("FG307", facts).findings


def test_own_build_from_source():
    own = TensorFlow(version="2.21.0", cuda="12.8", capabilities=("sm_120", "compute_120"))
    facts = Facts(tensorflow=own, gpus=(Gpu(name="RTX 5090", compute_capability="12.0"),))
    assert run("FG307", facts).passed == ("FG307",)


@pytest.mark.parametrize(
    ("tensorflow", "gpu"),
    [("2.4", "RTX 3090"), ("2.12", "H100"), ("2.17", "RTX 4090"), ("1.12", "Tesla T4")],
)
def test_fine(tensorflow, gpu):
    assert what_if("FG307", f"tf={tensorflow}", f"gpu={gpu}").passed == ("FG307",)


def test_skips_without_the_gpu():
    assert what_if("FG307", "tf=2.18").skipped[0].reason == "the GPU is not known"
