"""Both libraries, one after the other."""

import importlib
import os
from types import ModuleType

import pytest

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")


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
