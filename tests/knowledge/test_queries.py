"""The questions that checks ask of the tables."""

import pytest

from fitguard.knowledge import knowledge
from fitguard.knowledge.tensorflow import code_for

tables = knowledge()


@pytest.mark.parametrize(
    ("version", "found"),
    [
        ("2.10.1", "2.10.1"),
        ("2.10", "2.10.1"),
        ("2.15.1+nv24.03", "2.15.1"),
        ("2.16.0rc1", "2.16.2"),
        ("2.99.0", None),
        ("2", None),
    ],
)
def test_find_release(version, found):
    release = tables.tensorflow.find(version)
    assert (release.version if release else None) == found


def test_pin_admits_whole_parts_only():
    assert [release.version for release in tables.tensorflow.matching("2.1")] == [
        "2.1.0", "2.1.1", "2.1.2", "2.1.3", "2.1.4",
    ]  # fmt: skip
    assert tables.tensorflow.matching("2.10.7") == ()


def test_which_cuda_does_this_tensorflow_need():
    assert tables.tensorflow.find("2.10").cuda == "11.2"
    assert tables.tensorflow.find("2.18").cuda == "12.5.1"
    assert tables.tensorflow.find("1.15.5").cudnn == "7.6.0"
    assert tables.tensorflow.find("1.15.5").cudnn_documented == "7.4"


@pytest.mark.parametrize(
    ("tensorflow", "capability", "code"),
    [
        ("2.18.0", "12.0", "ptx"),
        ("2.18.0", "8.6", "sass"),
        ("2.18.0", "9.0", "mostly-ptx"),
        ("2.18.0", "5.2", "none"),
        ("2.14.1", "3.7", "sass"),
        ("2.15.1", "3.7", "none"),
        ("1.12.0", "5.0", "ptx"),
        ("1.4.1", "3.0", "sass"),
        ("1.5.0", "3.0", "none"),
        ("2.3.4", "8.6", "ptx"),
    ],
)
def test_code_for_a_gpu(tensorflow, capability, code):
    release = tables.tensorflow.find(tensorflow)
    found = code_for(
        release.sass, release.ptx, capability, newest_mostly_ptx=release.newest_mostly_ptx
    )
    assert found == code


def test_toolkit_serves_gpu():
    assert tables.cuda.serves("12.5", "12.0") is False
    assert tables.cuda.serves("12.8", "12.0") is True
    assert tables.cuda.serves("12.0", "3.7") is False
    assert tables.cuda.serves("11.8", "3.7") is True
    assert tables.cuda.serves("11.0", "8.6") is True, "machine code for 8.0 runs on 8.6"
    assert tables.cuda.serves("99", "8.6") is None
    assert tables.cuda.last_toolkit("3.7") == "11.8"
    assert tables.cuda.last_toolkit("7.0") == "12.9"
    assert tables.cuda.first_toolkit("12.0") == "12.8"


def test_least_driver():
    assert tables.drivers.least("12.5") == "525.60.13"
    assert tables.drivers.least("12.5", exact=True) == "555.42.02"
    assert tables.drivers.least("12.5.1", exact=True) == "555.42.06"
    assert tables.drivers.least("12.5", windows=True) == "527.41"
    assert tables.drivers.least("10.0") == tables.drivers.least("10.0", exact=True) == "410.48"
    assert tables.drivers.least("11.0") == "450.51.05"
    assert tables.drivers.least("8.0") == "367.48"
    assert tables.drivers.least("99.1") is None


def test_drivers_of_a_gpu():
    assert tables.drivers.last_branch("3.7") == "470"
    assert tables.drivers.last_branch("6.1") == "580"
    assert tables.drivers.last_branch("8.6") is None
    assert tables.drivers.architecture("12.0").first_driver == "570.26"


def test_newest_cuda_of_a_driver():
    assert tables.drivers.newest_cuda("470.82.01") == "11.4"
    assert tables.drivers.newest_cuda("580.159.04") == "13.0"
    assert tables.drivers.newest_cuda("100.1") is None


@pytest.mark.parametrize(
    ("loaded", "compiled", "tensorflow", "fit"),
    [
        ("8.0.5", "8.1.0", "2.10.1", "too-old"),
        ("8.9.7", "8.1.0", "2.10.1", "fits"),
        ("8.1.1", "8.1.0", "2.10.1", "fits"),
        ("8", "8.1.0", "2.10.1", "fits"),
        ("9.1.0", "8.9.6", "2.16.1", "other-major"),
        ("7.1", "7.0", "1.5.0", "too-new"),
        ("7.1", "7.0", "1.7.0", "fits"),
    ],
)
def test_cudnn_rule(loaded, compiled, tensorflow, fit):
    assert tables.cudnn.fit(loaded, compiled, tensorflow) == fit


def test_cudnn_and_gpus():
    assert tables.cudnn.least_capability("9.17") == "7.5"
    assert tables.cudnn.least_capability("9.10.2") == "5.0"
    assert tables.cudnn.least_capability("8.2", cuda="10.2") == "3.0"
    assert tables.cudnn.least_capability("8.2", cuda="11.2") == "3.5"
    assert tables.cudnn.last_for("6.1") == "9.10"
    assert tables.cudnn.format_pip_bound("6.1") == "<9.11"
    assert tables.cudnn.format_pip_bound("8.6") is None
    assert tables.cudnn.row("4.0") is None


@pytest.mark.parametrize(
    ("keras", "tensorflow", "fit"),
    [
        ("2.2.4", "1.4.1", "too-new"),
        ("2.2.4", "1.9.0", "fits"),
        ("2.2.4", "2.1.0", "too-old"),
        ("2.3.1", "2.4.0", "too-old"),
        ("2.3.1", "1.12.0", "too-new"),
        ("2.3.1", "1.13.1", "fits"),
        ("2.1.4", "1.4.1", "fits"),
        ("2.9.0", "2.10.1", "too-old"),
        ("2.13.1", "2.10.1", "too-new"),
        ("2.7.0", "2.6.0", "too-new"),
        ("2.15.0", "2.16.1", "too-old"),
        ("3.0.5", "2.15.1", "too-new"),
        ("3.3.0", "2.18.0", "too-old"),
        ("3", "2.18.0", "fits"),
        ("3.15.1", "2.21.0", "fits"),
    ],
)
def test_keras_fits_tensorflow(keras, tensorflow, fit):
    assert tables.keras.fit(keras, tables.tensorflow.find(tensorflow)) == fit


def test_library_names():
    assert tables.cuda.sonames("9.0")["cublas"] == "libcublas.so.9.0"
    assert tables.cuda.sonames("11.0")["cusolver"] == "libcusolver.so.10"
    assert tables.cuda.sonames("11.2")["cusolver"] == "libcusolver.so.11"
    assert tables.cuda.sonames("11.8")["cudart"] == "libcudart.so.11.0"
    assert tables.cuda.sonames("12.5.1")["cudart"] == "libcudart.so.12"


def test_names_that_tensorflow_asks_for():
    assert tables.cuda.find_requested_sonames("11.8", "2.12.1")["curand"] == "libcurand.so.10"
    assert "curand" not in tables.cuda.find_requested_sonames("12.5.1", "2.21.0")
