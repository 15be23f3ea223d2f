"""FG308: kernels that the driver compiles at the first run."""

import pytest
from checks.what_if import what_if


def test_all_kernels():
    (finding,) = what_if("FG308", "tf=1.12", "gpu=GTX 750 Ti").findings
    assert finding.slug == "gpu-arch-jit"
    assert finding.severity == "warning"
    assert finding.evidence[0].source == "--what-if gpu=GTX 750 Ti"
    assert "PTX" in finding.evidence[1].text
    assert "30 minutes" in finding.fix.text
    assert finding.fix.commands == ("export CUDA_CACHE_MAXSIZE=4294967296",)


def test_all_kernels_on_windows():
    (finding,) = what_if("FG308", "tf=1.12", "gpu=GTX 750 Ti", "os=windows").findings
    assert finding.fix.commands == ("set CUDA_CACHE_MAXSIZE=4294967296",)


@pytest.mark.parametrize(("tensorflow", "gpu"), [("2.21", "H200"), ("2.4", "RTX 3090")])
def test_most_kernels(tensorflow, gpu):
    (finding,) = what_if("FG308", f"tf={tensorflow}", f"gpu={gpu}").findings
    assert finding.severity == "info"
    assert "about a minute" in finding.fix.text
    assert finding.fix.commands == ()


@pytest.mark.parametrize(
    ("tensorflow", "gpu"),
    [("2.21", "RTX 4090"), ("2.17", "GTX 1080"), ("2.18", "RTX 5090"), ("2.17", "GTX 980")],
    ids=["machine-code", "same-major", "too-new", "too-old"],
)
def test_nothing_to_compile(tensorflow, gpu):
    assert what_if("FG308", f"tf={tensorflow}", f"gpu={gpu}").passed == ("FG308",)


def test_unknown_tensorflow_says_nothing():
    assert what_if("FG308", "cuda=12.2", "gpu=H100").passed == ("FG308",)


def test_skips_without_the_gpu():
    assert what_if("FG308", "tf=2.18", "gpu=none").skipped[0].code == "FG308"


def test_a_driver_that_may_be_too_old_to_compile_is_named():
    setup = ("tf=2.18.0", "gpu=H100 PCIe")
    (older,) = what_if("FG308", *setup, "driver=535.129.03").findings
    assert "CUDA_ERROR_UNSUPPORTED_PTX_VERSION" in older.fix.text
    (fitting,) = what_if("FG308", *setup, "driver=560.35.03").findings
    assert "CUDA_ERROR" not in fitting.fix.text
