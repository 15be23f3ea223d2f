import numpy as np
import pytest
from checks.data.made_facts import facts_of, field, model_of, spotted, token_input
from checks.data.masks import hand_to_cudnn
from checks.data.tiny_training import BATCH, changed, losses, of_words, only, tokens

import fitguard
from fitguard.checks.framework.testing import run_data
from fitguard.schema.data import Padding


def with_empty_sample():
    x, y = tokens()
    return changed(x, (33,), 0), y


def test_the_average_of_an_empty_sequence_is_nan():
    x, y = with_empty_sample()
    model = of_words(mask_zero=True)
    found = only(fitguard.check_data(model, x, y, batch_size=BATCH), "FG645")
    assert found.severity == "error"
    assert found.title.startswith("1 sample of x with nothing but padding at sample 33")
    losses(model, x, y)
    assert all(np.isnan(weight).any() for weight in model.get_weights())


def test_cudnn_refuses_an_empty_sequence():
    import keras
    import tensorflow as tf

    x, y = with_empty_sample()
    model = of_words(keras.layers.LSTM(4, name="reader"), mask_zero=True)
    found = only(fitguard.check_data(model, x, y, batch_size=BATCH), "FG645")
    assert "reader stops on a GPU" in found.title
    assert "sample 33" in found.title
    assert np.isfinite(losses(model, x, y)).all()
    with pytest.raises(tf.errors.InvalidArgumentError, match="while using cuDNN"):
        hand_to_cudnn(x != 0)


def test_healthy_twin_trains_in_silence():
    x, y = with_empty_sample()
    x[33, 0] = 1
    model = of_words(mask_zero=True)
    assert fitguard.check_data(model, x, y, batch_size=BATCH).findings == ()
    assert np.isfinite(losses(model, x, y)).all()
    hand_to_cudnn(x != 0)


def judged(**model):
    target = token_input(mask_value=0.0, **{"recurrent": ("reader",), **model.pop("target", {})})
    one = field(padding=Padding(all_masked=spotted(2, 33)))
    return run_data("FG645", facts_of(one, model=model_of(target, **model))).findings


@pytest.mark.parametrize(("gpus", "severity"), [(None, "warning"), (0, "warning"), (2, "error")])
def test_a_gpu_makes_it_grave(gpus, severity):
    assert judged(gpus=gpus)[0].severity == severity


def test_keras_2_takes_it_on_a_gpu_too():
    assert judged(library="tf_keras 2.21.0", gpus=1) == ()


def test_without_a_layer_that_minds_there_is_nothing_to_say():
    assert judged(target={"recurrent": ()}) == ()
