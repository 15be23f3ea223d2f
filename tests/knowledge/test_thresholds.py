"""What the small tables say, at their bounds."""

import pytest

from fitguard.knowledge import knowledge

tables = knowledge()


@pytest.mark.parametrize(
    ("tensorflow", "least", "below"),
    [
        ("1.14.0", "", "3.21"),
        ("1.15.5", "3.6.0", "3.21"),
        ("2.0.0", "3.6.0", "3.21"),
        ("2.11.1", "3.7.0", "3.21"),
        ("2.12.0", "3.20.0", ""),
        ("2.20.0", "5.28.3", ""),
        ("2.21.0", "6.31.1", ""),
    ],
)
def test_protobuf(tensorflow, least, below):
    need = tables.protobuf.need(tables.tensorflow.find(tensorflow))
    assert (need.least, need.below) == (least, below)


@pytest.mark.parametrize(
    ("tf_keras", "tensorflow", "fails"),
    [
        ("2.15.1", "2.16.2", True),
        ("2.16.0", "2.15.1", False),
        ("2.20.1", "2.19.1", True),
        ("2.20.1", "2.20.0", False),
        ("2.20.1", "2.14.1", False),
        ("2.19.0", "2.21.0", False),
    ],
)
def test_tf_keras(tf_keras, tensorflow, fails):
    failure = tables.keras.tf_keras_failure(tf_keras, tables.tensorflow.find(tensorflow))
    assert (failure is not None) == fails


@pytest.mark.parametrize(
    ("tensorflow", "major"), [("2.9.3", None), ("2.10.1", 7), ("2.12.0", 8), ("2.18.0", None)]
)
def test_tensorrt(tensorflow, major):
    row = tables.cuda.tensorrt(tensorflow)
    assert (row.major if row else None) == major


@pytest.mark.parametrize(
    ("tensorflow", "has"), [("1.14.0", False), ("1.15.0", True), ("2.0.0", False), ("2.1.0", True)]
)
def test_packages_for_the_cpu(tensorflow, has):
    assert tables.tensorflow.find(tensorflow).has_cpu_package is has


def test_the_end_of_the_gpu_package():
    assert not tables.tensorflow.is_empty_gpu_package("2.11.0")
    assert tables.tensorflow.is_empty_gpu_package("2.12.0")


def test_curand_is_asked_for_up_to_2_12():
    assert "curand" in tables.cuda.find_requested_sonames("11.8", "2.12.1")
    assert "curand" not in tables.cuda.find_requested_sonames("11.8", "2.13.0")
