"""Keras 2 is `keras` up to 2.15, and `tf_keras`."""

import pytest

from fitguard.checks.data.derived.generation import is_keras_2
from fitguard.schema.model import ModelFacts


@pytest.mark.parametrize(
    ("library", "expected"),
    [
        *(("keras 2.13.1", True), ("keras 2.15.0", True), ("tf_keras 2.21.0", True)),
        *(("keras 3.0.5", False), ("keras 3.15.1", False), ("keras", False), ("tf_keras", True)),
    ],
)
def test_by_package_and_version(library, expected):
    model = ModelFacts(name="m", library=library, kind="functional", built=True, compiled=True)
    assert is_keras_2(model) is expected
