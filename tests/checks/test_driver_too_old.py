"""FG304: the driver is older than CUDA or the GPU needs."""

import pytest
from checks.what_if import what_if

from fitguard.checks.framework.testing import run
from fitguard.schema.facts import Facts
from fitguard.schema.hardware import Container, Driver, Gpu
from fitguard.schema.software import CudaLibraries, Library, TensorFlow


def test_fires_where_tensorflow_is_unknown():
    (finding,) = what_if("FG304", "cuda=12.2", "driver=470").findings
    assert finding.slug == "driver-too-old"
    assert finding.severity == "error"
    assert finding.title == "Driver 470 is older than the 525.60.13 that CUDA 12.2 needs"
    assert [item.source for item in finding.evidence[:2]] == [
        "--what-if driver=470",
        "--what-if cuda=12.2",
    ]
    assert "cuda_driver" in finding.evidence[2].source
    assert "525.60.13" in finding.fix.text


def test_fires_by_the_builds_cuda():
    (finding,) = what_if("FG304", "tf=2.15", "driver=470.82").findings
    assert "CUDA 12.2 of TensorFlow 2.15.1" in finding.title
    assert "tensorflow" in finding.evidence[1].source


@pytest.mark.parametrize(
    ("driver", "fires"),
    [
        ("525.60.12", True),
        ("525.60.13", False),
        ("525", False),
        ("R536", False),
        ("524.99", True),
    ],
)
def test_boundary(driver, fires):
    assert bool(what_if("FG304", "tf=2.18", f"driver={driver}").findings) is fires


def test_windows_numbers_in_wsl():
    assert what_if("FG304", "tf=2.18", "driver=527.40", "os=wsl2").findings
    assert what_if("FG304", "tf=2.18", "driver=527.41", "os=wsl2").passed
    (finding,) = what_if("FG304", "tf=2.18", "driver=516.94", "os=wsl2").findings
    assert "on Windows itself" in finding.fix.text
    assert finding.fix.commands == ()


def test_a_runtime_of_another_name_is_never_loaded():
    stray = Library(
        component="cudart", soname="libcudart.so.13", path="/usr/local/cuda/lib64/libcudart.so.13",
        version="13.0", found_by="ld.so.cache",
    )  # fmt: skip
    facts = Facts(
        driver=Driver(version="535.54.03"),
        tensorflow=TensorFlow(version="2.18.0", cuda_build=True),
        libraries=CudaLibraries(found=(stray,), complete=True),
    )
    assert run("FG304", facts).passed == ("FG304",)


def test_compiled_code_needs_the_builds_own_driver():
    (finding,) = what_if("FG304", "tf=2.15", "driver=530", "gpu=H100").findings
    assert (finding.severity, finding.confidence) == ("warning", "medium")
    assert "535.54.03" in finding.fix.text
    assert what_if("FG304", "tf=2.15", "driver=535.54.03", "gpu=H100").passed
    assert what_if("FG304", "tf=2.15", "driver=530", "gpu=A100").passed


def test_older_than_the_gpu():
    (finding,) = what_if("FG304", "driver=450.51", "gpu=RTX 3090").findings
    assert (finding.severity, finding.confidence) == ("error", "high")
    assert "455.23" in finding.title
    assert finding.evidence[1].source == "--what-if gpu=RTX 3090"
    (unsure,) = what_if("FG304", "driver=525", "gpu=RTX 5090").findings
    assert unsure.confidence == "medium"


def test_one_driver_mends_all():
    (finding,) = what_if("FG304", "cuda=12.2", "driver=470", "gpu=RTX 5090").findings
    assert "570.26" in finding.title


def test_no_newer_driver_for_an_old_gpu():
    (finding,) = what_if("FG304", "cuda=12.2", "driver=470", "gpu=Tesla K80").findings
    assert "2.14.1" in finding.fix.text
    assert "Install driver" not in finding.fix.text


def test_the_hosts_driver():
    facts = Facts(
        driver=Driver(version="470.57"),
        tensorflow=TensorFlow(version="2.18.0"),
        container=Container("docker"),
        gpus=(Gpu(compute_capability="8.0"),),
    )
    (finding,) = run("FG304", facts).findings
    assert "host" in finding.fix.text


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["driver=470"], "neither the CUDA version nor the GPU is known"),
        (["tf=2.18"], "the GPU driver is not known"),
        (["tf=2.18", "driver=none"], "no NVIDIA driver"),
    ],
)
def test_skips(arguments, reason):
    assert reason in what_if("FG304", *arguments).skipped[0].reason


def test_a_cpu_build_needs_no_driver():
    arguments = ["tf=2.18", "package=tensorflow-cpu", "driver=470"]
    assert what_if("FG304", *arguments).skipped
