import keras
import pytest

from fitguard.inputs.models import describe


@pytest.fixture(autouse=True)
def mixed_float16():
    keras.mixed_precision.set_global_policy("mixed_float16")
    yield
    keras.mixed_precision.set_global_policy("float32")


def cast_to(*layers, dtype="float32"):
    model = keras.Sequential([keras.Input((4,), dtype=dtype), *layers])
    return describe(model).inputs[0].compute_dtype


def test_the_first_layer_casts():
    assert cast_to(keras.layers.Dense(1)) == "float16"


def test_a_layer_that_only_passes_values_on_casts_them_too():
    flat = keras.layers.Flatten()
    assert cast_to(flat, keras.layers.Rescaling(0.1, dtype="float32")) == "float16"


def test_a_scaling_layer_in_float32_comes_first():
    scaling = keras.layers.Rescaling(0.1, dtype="float32")
    assert cast_to(scaling, keras.layers.Dense(1)) is None


def test_whole_numbers_are_cast_by_layers_that_calculate():
    assert cast_to(keras.layers.Rescaling(0.1), dtype="uint16") == "float16"


def test_a_lookup_casts_nothing():
    lookup = keras.layers.IntegerLookup(vocabulary=[10**9])
    assert cast_to(lookup, keras.layers.Embedding(2, 2), dtype="int64") is None
