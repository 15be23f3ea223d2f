"""Both libraries, one after the other."""

import importlib
from types import ModuleType

import pytest


@pytest.fixture(params=["keras", "tf_keras"])
def library(request: pytest.FixtureRequest) -> ModuleType:
    """The package that a test builds its models with."""
    return importlib.import_module(request.param)


@pytest.fixture
def keras3() -> ModuleType:
    """Keras 3."""
    return importlib.import_module("keras")


@pytest.fixture
def keras2() -> ModuleType:
    """tf_keras."""
    return importlib.import_module("tf_keras")
