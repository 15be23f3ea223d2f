"""The user's code that a config names is told, and lambdas are written as fitguard wants."""

import keras
import pytest
import tf_keras

from fitguard.contract.libraries import find_installed_library
from fitguard.contract.saving import reading_lambdas, recording_names, writing_lambdas

both = pytest.mark.parametrize("library", [keras, tf_keras], ids=["keras", "tf_keras"])


def own_loss(wanted, given):
    return (wanted - given) ** 2


@both
def test_classes_and_functions_are_told(library):
    class Mine(library.layers.Dense):
        pass

    model = library.Sequential([library.Input((2,)), Mine(1)])
    model.compile("sgd", own_loss)
    told = {}
    with recording_names(find_installed_library(library.__name__), told.__setitem__):
        library.saving.serialize_keras_object(model)
    assert told["Mine"] is Mine
    assert told["own_loss"] is own_loss


@both
def test_lambdas_go_another_way(library):
    here = find_installed_library(library.__name__)

    def doubled(x):
        return x * 2

    doubled.__name__ = "<lambda>"
    layer = library.layers.Lambda(doubled, output_shape=(2,))
    with writing_lambdas(here, lambda function: "mine" if function is doubled else "other"):
        config = library.saving.serialize_keras_object(layer)
    with reading_lambdas(here, lambda text: doubled if text == "mine" else None):
        again = library.saving.deserialize_keras_object(config, safe_mode=False)
    assert again.function is doubled
