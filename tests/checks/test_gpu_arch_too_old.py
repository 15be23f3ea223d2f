"""FG306: the GPU is older than what the build or the toolkit serves."""

import pytest
from checks.what_if import what_if

from fitguard.checks.framework.testing import run
from fitguard.schema.facts import Facts
from fitguard.schema.hardware import Gpu
from fitguard.schema.software import Packages, TensorFlow


def test_toolkit_has_dropped_it_where_tensorflow_is_unknown():
    (finding,) = what_if("FG306", "gpu=Tesla K80", "cuda=12.2").findings
    assert finding.slug == "gpu-arch-too-old"
    assert finding.severity == "error"
    assert "its last was CUDA 11.8" in finding.title
    sources = [item.source for item in finding.evidence]
    assert sources[:2] == ["--what-if gpu=Tesla K80", "--what-if cuda=12.2"]
    assert "cuda_arch" in sources[2]
    assert finding.fix.commands == ('python -m pip install "tensorflow[and-cuda]==2.14.1"',)


@pytest.mark.parametrize(
    ("tensorflow", "gpu", "newest"),
    [("2.17", "GTX 980", "2.16.2"), ("2.15", "Tesla K80", "2.14.1"), ("1.5", "GTX 680", "1.4.1")],
)
def test_build_has_no_code(tensorflow, gpu, newest):
    (finding,) = what_if("FG306", f"tf={tensorflow}", f"gpu={gpu}").findings
    assert "has no code for" in finding.title
    assert "carries code for" in finding.evidence[1].text
    assert "tensorflow" in finding.evidence[1].source
    assert f"TensorFlow {newest}" in finding.fix.text


def test_a_gap_between_two_capabilities():
    """TensorFlow 2.3 has code for 3.7 and for 5.2, and PTX of 7.0 alone: none for 5.0."""
    assert what_if("FG306", "tf=2.3", "gpu=GTX 750 Ti").findings


@pytest.mark.parametrize(
    ("tensorflow", "gpu"),
    [("2.17", "GTX 1080"), ("2.16", "GTX 980"), ("2.14", "Tesla K80"), ("1.12", "GTX 750 Ti")],
)
def test_fine(tensorflow, gpu):
    assert what_if("FG306", f"tf={tensorflow}", f"gpu={gpu}").passed == ("FG306",)


def test_no_release_at_all():
    (finding,) = what_if("FG306", "tf=2.10", "compute-capability=2.0").findings
    assert "newer GPU" in finding.fix.text
    assert finding.fix.commands == ()


def test_left_out_beside_a_gpu_that_works():
    gpus = (Gpu(name="A", compute_capability="8.6"), Gpu(name="B", compute_capability="3.5"))
    facts = Facts(tensorflow=TensorFlow(version="2.18.0"), gpus=gpus)
    (finding,) = run("FG306", facts).findings
    assert finding.severity == "info"
    assert "the B" in finding.title


def test_hidden_gpus_do_not_count():
    gpus = (
        Gpu(index=0, name="A", uuid="GPU-aaaa", compute_capability="3.5"),
        Gpu(index=1, name="B", uuid="GPU-bbbb", compute_capability="8.6"),
    )
    hidden = {"CUDA_VISIBLE_DEVICES": "GPU-bb"}
    facts = Facts(tensorflow=TensorFlow(version="2.18.0"), gpus=gpus, environment=hidden)
    assert run("FG306", facts).passed == ("FG306",)


def test_own_build_from_source():
    own = TensorFlow(version="2.18.0", cuda="12.5.1", capabilities=("sm_52", "compute_90"))
    facts = Facts(tensorflow=own, gpus=(Gpu(name="GTX 980", compute_capability="5.2"),))
    assert run("FG306", facts).passed == ("FG306",)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["gpu=Tesla K80"], "neither the CUDA runtime nor the TensorFlow version is known"),
        (["cuda=12.2"], "the GPU is not known"),
        (["tf=2.18", "package=tensorflow-cpu", "gpu=Tesla K80"], "built without CUDA"),
    ],
)
def test_skips(arguments, reason):
    assert reason in what_if("FG306", *arguments).skipped[0].reason


def test_skips_where_tensorflow_is_not_installed():
    facts = Facts(packages=Packages(complete=True), gpus=(Gpu(compute_capability="3.5"),))
    assert run("FG306", facts).skipped[0].reason == "TensorFlow is not installed"


def test_skips_where_the_capability_is_unknown():
    facts = Facts(tensorflow=TensorFlow(version="2.18.0"), gpus=(Gpu(name="Graphics Device"),))
    assert "compute capability" in run("FG306", facts).skipped[0].reason
