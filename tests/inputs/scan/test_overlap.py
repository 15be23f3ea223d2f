"""Validation samples among the training samples."""

import numpy as np
import pytest

from fitguard.inputs.scan import find_overlap

RNG = np.random.default_rng(1)
TRAINING = RNG.standard_normal((5000, 8)).astype(np.float32)
VALIDATION = RNG.standard_normal((300, 8)).astype(np.float32)


def test_nothing_in_common() -> None:
    found = find_overlap([VALIDATION], [TRAINING])
    assert found is not None
    assert (found.compared, found.among, found.found.count) == (300, 5000, 0)


def test_samples_in_common_with_their_places() -> None:
    validation = VALIDATION.copy()
    validation[[7, 250]] = TRAINING[[4999, 12]]
    found = find_overlap([validation], [TRAINING])
    assert found is not None
    assert found.found.count == 2
    assert [(place.sample, place.value) for place in found.found.places] == [
        (7, "4999"),
        (250, "12"),
    ]


def test_many_samples_are_sampled() -> None:
    many = np.repeat(TRAINING, 20, axis=0)
    found = find_overlap([many], [TRAINING])
    assert found is not None
    assert found.compared == found.found.count == 2000
    assert len(found.found.places) == 5
    assert found.found.places[0].sample == 0


def test_all_fields_must_be_equal() -> None:
    other = np.arange(5000.0)[:, np.newaxis]
    found = find_overlap([TRAINING[:9], other[1:10]], [TRAINING, other])
    assert found is not None
    assert found.found.count == 0
    found = find_overlap([TRAINING[:9], other[:9]], [TRAINING, other])
    assert found is not None
    assert found.found.count == 9


def test_equal_keys_are_compared_value_by_value() -> None:
    training = np.repeat(RNG.standard_normal((1, 10_000)), 50, axis=0)
    training[np.arange(50), 5000 + np.arange(50)] += 1
    validation = training[:10].copy()
    validation[0, 4321] += 1
    found = find_overlap([validation], [training])
    assert found is not None
    assert found.found.count == 9


def test_images_of_one_colour_do_not_count() -> None:
    training = np.zeros((100, 4, 4, 1), np.uint8)
    training[50:] = RNG.integers(0, 255, (50, 4, 4, 1))
    validation = training[[0, 1, 60]]
    found = find_overlap([validation], [training])
    assert found is not None
    assert (found.compared, found.found.count) == (1, 1)
    assert find_overlap([training[:5]], [training]) is None


def test_other_dtypes_and_layouts() -> None:
    images = RNG.integers(0, 255, (200, 6, 6))
    training = np.asfortranarray(images.astype(np.float32))
    found = find_overlap([images[::-1][:20].astype(np.uint8)], [training])
    assert found is not None
    assert found.found.count == 20
    assert found.found.places[0].value == "199"


def test_nan_is_the_same_as_nan() -> None:
    training = TRAINING.copy()
    training[:, 3] = np.nan
    found = find_overlap([training[:4]], [training])
    assert found is not None
    assert found.found.count == 4


def test_negative_zero_is_zero() -> None:
    found = find_overlap([np.array([[0.0, 1, 2, 3]])], [np.array([[-0.0, 1, 2, 3]])])
    assert found is not None
    assert found.found.count == 1


@pytest.mark.parametrize("dtype", ["U20", "S20", object])
def test_text(dtype: object) -> None:
    training = np.array([f"sentence {number}" for number in range(100)], dtype)  # type: ignore[call-overload]
    validation = np.array(["sentence 7", "another one", "no"], dtype)  # type: ignore[call-overload]
    found = find_overlap([validation], [training])
    assert found is not None
    assert (found.compared, found.found.count) == (2, 1)
    assert found.found.places[0].value == "7"


@pytest.mark.parametrize(
    ("validation", "training"),
    [
        ([], []),
        ([VALIDATION], [TRAINING, TRAINING]),
        ([VALIDATION], [TRAINING[:, :7]]),
        ([VALIDATION[:, :3]], [TRAINING[:, :3]]),
        ([VALIDATION[:0]], [TRAINING]),
        ([VALIDATION], [TRAINING[:0]]),
        ([np.array(1.0)], [np.array(1.0)]),
    ],
)
def test_what_cannot_be_compared(validation: list[np.ndarray], training: list[np.ndarray]) -> None:
    assert find_overlap(validation, training) is None


def test_past_the_deadline_it_says_how_little_was_seen() -> None:
    training = np.repeat(TRAINING, 10, axis=0)
    found = find_overlap([VALIDATION], [training], 0.0)
    assert found is not None
    assert 0 < found.among < len(training)


def test_samples_equal_to_one_another_are_left_out() -> None:
    switches = RNG.integers(0, 2, (4000, 5))
    assert find_overlap([switches[:2000]], [switches[2000:]]) is None


def test_sparse_samples_with_the_same_key() -> None:
    sparse = np.eye(3000, dtype=np.float32)
    found = find_overlap([sparse[:100]], [sparse[50:]])
    assert found is not None
    assert (found.compared, found.found.count) == (100, 50)
    assert found.found.places[0].sample == 50
    assert found.found.places[0].value == "0"
