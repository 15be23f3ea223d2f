"""The policy that is set before a model is built."""

import importlib

import pytest

from fitguard.memory.dtype_policy import require_policy, set_policy
from fitguard.schema.exit_codes import UsageError


def model(library, dtype=None):
    """A model of this library, built under the policy of the moment."""
    layers = [library.layers.InputLayer((4,)), library.layers.Dense(2, dtype=dtype)]
    return library.Sequential(layers)


@pytest.fixture
def half():
    """mixed_float16 while a test runs."""
    set_policy("mixed_float16")
    yield "mixed_float16"
    set_policy("float32")


@pytest.mark.parametrize("name", ["keras", "tf_keras"])
def test_layers_that_are_built_then_have_it(name, half):
    library = importlib.import_module(name)
    made = model(library)
    require_policy(made, half, "train.py:make")
    assert made.layers[-1].compute_dtype == "float16"


@pytest.mark.parametrize("name", ["keras", "tf_keras"])
def test_a_model_that_was_built_before_is_refused(name):
    library = importlib.import_module(name)
    with pytest.raises(UsageError, match=r"--policy mixed_float16, but the layers .* float32\. Ex"):
        require_policy(model(library), "mixed_float16", "train.py:make")


def test_one_layer_of_its_own_is_no_matter(half):
    import keras

    parts = [keras.Input((4,)), keras.layers.Dense(3), keras.layers.Dense(2, dtype="float32")]
    require_policy(keras.Sequential(parts), half, "train.py:make")
