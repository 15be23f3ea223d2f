"""FG103: a TensorFlow without CUDA where somebody wants the GPU."""

import pytest

from fitguard.checks.framework.testing import run
from fitguard.environment.supposition import parse_arguments, suppose
from fitguard.schema.facts import Facts
from fitguard.schema.hardware import Driver, Gpu, PciGpu
from fitguard.schema.software import (
    CudaLibraries,
    Library,
    Package,
    Packages,
    Platform,
    TensorFlow,
)

OWN_FILES = TensorFlow(
    version="2.18.1", package="tensorflow-cpu", cuda_build=False, origin="build_info.py"
)
ON_PATH = CudaLibraries(
    found=(
        Library(
            component="cudart",
            soname="libcudart.so.12",
            path="/usr/local/cuda/lib64/libcudart.so.12",
            found_by="LD_LIBRARY_PATH",
        ),
    )
)


def judged(*arguments: str):
    return run("FG103", suppose(parse_arguments(arguments)))


def test_fires_on_tensorflow_cpu_beside_a_gpu():
    (finding,) = judged("tf=2.15.1", "package=tensorflow-cpu", "gpu=Tesla T4").findings
    assert finding.slug == "cpu-only-wheel"
    assert finding.severity == "error"
    assert finding.title == (
        "tensorflow-cpu 2.15.1 is built without CUDA and will not use the Tesla T4"
    )
    assert [item.source for item in finding.evidence] == [
        "--what-if tf=2.15.1",
        "--what-if gpu=Tesla T4",
    ]
    assert finding.fix.commands == ('python -m pip install "tensorflow[and-cuda]==2.15.1"',)
    assert finding.fix.text.startswith("First uninstall tensorflow-cpu")


@pytest.mark.parametrize("version", ["1.14.0", "1.15.2", "1.15.5", "2.0.0", "2.0.4"])
def test_fires_on_the_plain_package_of_old_releases(version):
    (finding,) = judged(f"tf={version}", "package=tensorflow", "gpu=Tesla T4").findings
    assert f'"tensorflow-gpu=={version}"' in finding.fix.commands[0]
    assert finding.evidence[0].source.startswith("fitguard knowledge: tensorflow")


@pytest.mark.parametrize("version", ["1.15.0", "2.1.0", "2.10.1", "2.21.0"])
def test_the_plain_package_of_these_has_cuda(version):
    assert judged(f"tf={version}", "package=tensorflow", "gpu=Tesla T4").passed == ("FG103",)


def test_the_gpu_package_has_cuda():
    assert not judged("tf=1.15.5", "package=tensorflow-gpu", "gpu=Tesla T4").findings


def test_arm_gets_nvidias_container():
    (finding,) = judged("tf=2.20", "package=tensorflow", "os=linux-aarch64", "gpu=H100").findings
    assert "issue 121157" in finding.evidence[0].source
    assert "nvidia/tensorflow:" in finding.fix.text


def test_macos_has_no_cuda():
    (finding,) = judged("tf=2.20", "package=tensorflow", "os=macos", "gpu=GTX 1080").findings
    assert not finding.fix.commands
    assert "tensorflow-metal" in finding.fix.text


def test_plain_tensorflow_on_windows_is_left_to_fg104():
    assert not judged("tf=2.15", "package=tensorflow", "os=windows", "gpu=Tesla T4").findings


def test_tensorflow_cpu_on_windows():
    arguments = ("package=tensorflow-cpu", "os=windows", "gpu=Tesla T4")
    (finding,) = judged("tf=2.15", *arguments).findings
    assert finding.fix.commands == ("wsl --install",)
    (finding,) = judged("tf=2.10", *arguments).findings
    assert '"tensorflow==2.10.1"' in finding.fix.commands[0]


def test_the_wheels_own_files_are_the_proof():
    (finding,) = run("FG103", Facts(tensorflow=OWN_FILES, gpus=(Gpu(name="A100"),))).findings
    assert finding.evidence[0].source == "build_info.py"


def test_a_gpu_on_the_pci_bus_counts_without_a_driver():
    driver = Driver(pci=(PciGpu("0000:01:00.0", "2684"),))
    (finding,) = run("FG103", Facts(tensorflow=OWN_FILES, gpus=(), driver=driver)).findings
    assert finding.severity == "error"
    assert "0000:01:00.0" in finding.evidence[1].text


def test_a_driver_counts_where_the_gpu_is_unknown():
    driver = Driver(version="535.104.05", origin="libcuda.so")
    (finding,) = run("FG103", Facts(tensorflow=OWN_FILES, driver=driver)).findings
    assert finding.severity == "error"
    assert finding.evidence[1].source == "libcuda.so"


def test_conda_gets_conda_commands():
    facts = Facts(
        tensorflow=TensorFlow(version="2.17.0", package="tensorflow", cuda_build=False),
        packages=Packages((Package(name="tensorflow", version="2.17.0", installer="conda"),)),
        platform=Platform(system="linux", machine="x86_64"),
        gpus=(Gpu(name="A100"),),
    )
    (finding,) = run("FG103", facts).findings
    assert finding.fix.commands == ('conda install -c conda-forge "tensorflow=2.17=cuda*"',)


def test_cuda_on_the_path_without_a_gpu_is_a_warning():
    (finding,) = run("FG103", Facts(tensorflow=OWN_FILES, gpus=(), libraries=ON_PATH)).findings
    assert finding.severity == "warning"
    assert finding.evidence[1].source == "LD_LIBRARY_PATH"
    assert "take the CUDA libraries away" in finding.fix.text


def test_a_wheel_of_nvidias_that_was_asked_for_is_a_warning():
    def with_wheel(requested):
        wheel = Package(name="nvidia-cudnn-cu12", version="9.3.0.75", requested=requested)
        return Facts(tensorflow=OWN_FILES, gpus=(), packages=Packages((wheel,)))

    (finding,) = run("FG103", with_wheel(True)).findings
    assert finding.severity == "warning"
    assert not run("FG103", with_wheel(False)).findings


def test_pytorch_explains_cuda_on_the_path():
    torch = Packages((Package(name="torch", version="2.5.0"),))
    facts = Facts(tensorflow=OWN_FILES, gpus=(), libraries=ON_PATH, packages=torch)
    assert not run("FG103", facts).findings


def test_a_cpu_build_on_a_cpu_machine_is_fine():
    assert run("FG103", Facts(tensorflow=OWN_FILES, gpus=())).passed == ("FG103",)


def test_skips_where_the_build_is_unknown():
    (skipped,) = judged("tf=2.18", "gpu=Tesla T4").skipped
    assert skipped.reason == "whether this TensorFlow is built with CUDA is not known"
