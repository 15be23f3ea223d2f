"""Whether XLA compiles the step, and the sentence that says why."""

import keras
import pytest
import tf_keras
from inputs.models import zoo

from fitguard.memory.preparation import prepare


def small(library=keras, **settings):
    model = library.Sequential([library.layers.Input((4,)), library.layers.Dense(2)])
    model.compile("sgd", "mse", **settings)
    return model


def answer(model, x=None, **options):
    with prepare(model, 8, x, **options) as prepared:
        return prepared.training.jit_compile, prepared.step.mode_reason


@pytest.mark.parametrize("asked", [True, False])
def test_what_was_asked_for(asked):
    assert answer(small(), jit_compile=asked) == (asked, f"jit_compile={asked} was given.")


def test_keras_3_uses_xla_where_there_is_a_gpu():
    used, reason = answer(small())
    assert used
    assert 'jit_compile="auto": Keras uses XLA as soon as there is a GPU.' in reason
    # Keras has written False for "auto" into the model, as there is no GPU here.
    assert 'does not tell "auto" from False: give jit_compile=False here' in reason
    assert answer(small(jit_compile=False)) == (used, reason)
    fresh = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(2)])
    assert answer(fresh) == (
        True, 'jit_compile="auto": Keras uses XLA as soon as there is a GPU.'
    )  # fmt: skip
    assert answer(small(jit_compile=True)) == (True, "The model was compiled with XLA switched on.")


def test_what_keeps_keras_3_from_it():
    assert answer(small(), replicas=2)[1].endswith("not use XLA with a distribution strategy.")
    text = zoo.text_classifier(keras)
    assert answer(text, (None, 6))[1].endswith("cuDNN computes the layer both.")
    used, reason = answer(text, (None, 6), jit_compile=True)
    assert (used, "but Keras turns it off: cuDNN" in reason) == (False, True)
    unable = small()
    unable.layers[0].supports_jit = False
    assert "cannot be compiled" in answer(unable)[1]
    assert answer(small(run_eagerly=True))[1].startswith("run_eagerly=True")


def test_tf_keras_uses_it_only_where_it_was_told_to():
    assert answer(small(tf_keras)) == (
        False,
        "Keras 2 uses XLA only where compile is given jit_compile=True.",
    )
    assert answer(small(tf_keras, jit_compile=True))[0]
    assert answer(small(tf_keras), jit_compile=True)[0]
