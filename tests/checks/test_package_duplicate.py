"""FG113: distributions that share files, and distributions that are there twice."""

import pytest

from fitguard.checks.framework.testing import run
from fitguard.schema.facts import Facts
from fitguard.schema.software import CudaLibraries, Library, Package, Packages, TensorFlow

SITE = "/env/lib/python3.11/site-packages"
TENSORFLOW_12 = TensorFlow(
    version="2.15.1", package="tensorflow", cuda_build=True, cuda="12.2", origin="build_info.py"
)


def package(name, version, location=SITE):
    origin = f"{location}/{name}-{version}.dist-info/METADATA"
    return Package(name=name, version=version, location=location, origin=origin)


def judged(*found: Package, **facts):
    return run("FG113", Facts(packages=Packages(found, complete=True), **facts))


def test_two_releases_in_one_folder_are_an_error():
    used = TensorFlow(version="2.18.1", package="tensorflow-cpu", origin="build_info.py")
    (finding,) = judged(
        package("tensorflow", "2.15.1"), package("tensorflow-cpu", "2.18.1"), tensorflow=used
    ).findings
    assert finding.slug == "package-duplicate"
    assert finding.severity == "error"
    assert finding.title.startswith("tensorflow 2.15.1 and tensorflow-cpu 2.18.1 are installed")
    assert finding.evidence[0].source == f"{SITE}/tensorflow-2.15.1.dist-info/METADATA"
    assert finding.evidence[-1].text == "Python takes tensorflow-cpu 2.18.1"
    assert finding.evidence[-1].source == "build_info.py"
    assert finding.fix.commands == (
        'python -m pip install --force-reinstall --no-deps "tensorflow-cpu==2.18.1"',
    )
    assert "uninstall" in finding.fix.text.lower()


@pytest.mark.parametrize("other", ["tensorflow-cpu", "tensorflow-gpu", "tf-nightly"])
def test_two_builds_of_one_release_are_a_warning(other):
    (finding,) = judged(package("tensorflow", "2.10.1"), package(other, "2.10.1")).findings
    assert finding.severity == "warning"


def test_two_folders_of_the_path_are_a_warning():
    (finding,) = judged(
        package("tensorflow", "2.15.1"), package("tensorflow-cpu", "2.18.1", "/usr/lib/python3")
    ).findings
    assert finding.severity == "warning"


@pytest.mark.parametrize("carrier", ["tensorflow-intel", "tensorflow-macos", "tensorflow-cpu-aws"])
def test_the_carrier_of_a_platform_is_right(carrier):
    report = judged(package("tensorflow", "2.15.1"), package(carrier, "2.15.1"))
    assert report.passed == ("FG113",)


def test_a_carrier_of_another_version_is_not():
    (finding,) = judged(
        package("tensorflow", "2.15.1"), package("tensorflow-intel", "2.14.0")
    ).findings
    assert finding.severity == "error"


def test_companions_share_no_files():
    names = ("tensorflow-estimator", "tensorflow-io", "tensorflow-datasets", "keras")
    assert not judged(
        package("tensorflow", "2.15.1"), *(package(name, "1.0") for name in names)
    ).findings


def test_a_tensorflow_recorded_twice_in_one_folder_is_an_error():
    (finding,) = judged(package("tensorflow", "2.16.1"), package("tensorflow", "2.15.0")).findings
    assert finding.severity == "error"
    assert finding.title == "tensorflow is recorded twice in one folder: 2.16.1 and 2.15.0"
    assert finding.evidence[-1].text == "Python takes 2.16.1"


def test_another_package_recorded_twice_in_one_folder_is_a_warning():
    (finding,) = judged(package("numpy", "1.26.4"), package("numpy", "2.0.2")).findings
    assert finding.severity == "warning"
    assert finding.fix.commands == (
        'python -m pip install --force-reinstall --no-deps "numpy==1.26.4"',
    )


def test_in_two_folders_only_what_matters_is_told():
    system = "/usr/lib/python3/dist-packages"
    assert not judged(package("numpy", "1.26.4"), package("numpy", "1.21.5", system)).findings
    (finding,) = judged(package("keras", "3.9.2"), package("keras", "2.15.0", system)).findings
    assert finding.severity == "warning"
    assert "two folders of sys.path" in finding.title


def test_the_same_version_twice_harms_nobody():
    assert not judged(package("keras", "3.9.2"), package("keras", "3.9.2", "/other")).findings


def test_broken_metadata_is_left_to_fg115():
    broken = Package(name="tensorflow", location=SITE, problem="no METADATA")
    assert not judged(package("tensorflow", "2.16.1"), broken).findings


def cudnn_from(wheel):
    library = Library(
        component="cudnn",
        soname="libcudnn.so.8",
        path=f"{SITE}/nvidia/cudnn/lib/libcudnn.so.8",
        package=wheel,
    )
    return CudaLibraries(found=(library,))


@pytest.mark.parametrize(
    ("winner", "severity", "confidence"),
    [
        ("nvidia-cudnn-cu11", "error", "high"),
        ("nvidia-cudnn-cu12", "warning", "high"),
        (None, "error", "medium"),
    ],
)
def test_two_cudnn_with_one_file_name(winner, severity, confidence):
    (finding,) = judged(
        package("nvidia-cudnn-cu11", "8.9.4.25"),
        package("nvidia-cudnn-cu12", "8.9.4.25"),
        tensorflow=TENSORFLOW_12,
        libraries=cudnn_from(winner) if winner else None,
    ).findings
    assert finding.severity == severity
    assert finding.confidence == confidence
    assert "libcudnn.so.8" in finding.title
    assert finding.fix.commands == (
        'python -m pip install --force-reinstall --no-deps "nvidia-cudnn-cu12==8.9.4.25"',
    )


def test_without_a_gpu_two_cudnn_are_a_warning():
    (finding,) = judged(
        package("nvidia-cudnn-cu12", "9.3.0.75"),
        package("nvidia-cudnn-cu13", "9.13.0.50"),
        tensorflow=TENSORFLOW_12,
        gpus=(),
    ).findings
    assert finding.severity == "warning"


def test_two_cudnn_with_different_file_names_are_a_warning():
    (finding,) = judged(
        package("nvidia-cudnn-cu11", "8.7.0.84"),
        package("nvidia-cudnn-cu12", "9.3.0.75"),
        tensorflow=TENSORFLOW_12,
    ).findings
    assert finding.severity == "warning"
    assert "nvidia-cudnn-cu12 9.3.0.75" in finding.fix.text


def test_names_that_tell_the_cuda_major_lie_side_by_side():
    report = judged(
        package("nvidia-cublas-cu11", "11.11.3.6"), package("nvidia-cublas-cu12", "12.2.5.6")
    )
    assert report.passed == ("FG113",)


def test_nccl_has_one_name_for_all():
    (finding,) = judged(
        package("nvidia-nccl-cu12", "2.27.3"), package("nvidia-nccl-cu13", "2.27.7")
    ).findings
    assert finding.severity == "warning"
    assert "libnccl.so.2" in finding.title


def test_wheels_of_two_folders_overwrite_nothing():
    elsewhere = Package(name="nvidia-cudnn-cu13", version="9.13.0.50", location="/opt/other")
    report = judged(package("nvidia-cudnn-cu12", "9.3.0.75"), elsewhere, tensorflow=TENSORFLOW_12)
    assert report.passed == ("FG113",)


def test_skips_where_the_packages_are_unknown():
    (skipped,) = run("FG113", Facts()).skipped
    assert skipped.reason == "what is installed is not known"
