import numpy as np
import pytest
from checks.data.made_facts import facts_of, field, model_of, spotted, token_input
from checks.data.masks import hand_to_cudnn
from checks.data.tiny_training import BATCH, losses, of_words, only, tokens

import fitguard
from fitguard.checks.framework.testing import run_data
from fitguard.schema.data import Padding


def padded(side):
    from keras.utils import pad_sequences

    x, y = tokens()
    lengths = np.random.default_rng(3).integers(2, 6, size=len(x))
    texts = [list(text[:length]) for text, length in zip(x, lengths, strict=True)]
    return pad_sequences(texts, maxlen=6, padding=side), y


def recurrent(layer="LSTM", **settings):
    import keras

    return of_words(getattr(keras.layers, layer)(4, name="reader", **settings), mask_zero=True)


@pytest.mark.parametrize("layer", ["LSTM", "GRU"])
def test_cudnn_refuses_padding_in_front(layer):
    import tensorflow as tf

    x, y = padded("pre")
    model = recurrent(layer)
    found = only(fitguard.check_data(model, x, y, batch_size=BATCH), "FG646")
    assert found.severity == "warning"
    assert found.title.startswith(f"{len(x)} samples of x with padding in front or in between")
    assert "the first at sample 0" in found.title
    assert "reader stops on a GPU" in found.title
    with pytest.raises(tf.errors.InvalidArgumentError, match="right-padded sequences"):
        hand_to_cudnn(x != 0)


def test_healthy_twin_trains_in_silence():
    x, y = padded("post")
    model = recurrent()
    assert fitguard.check_data(model, x, y, batch_size=BATCH).findings == ()
    assert np.isfinite(losses(model, x, y)).all()
    hand_to_cudnn(x != 0)


@pytest.mark.parametrize("settings", [{"use_cudnn": False}, {"recurrent_dropout": 0.1}])
def test_layers_that_do_without_cudnn_take_it(settings):
    x, y = padded("pre")
    assert fitguard.check_data(recurrent(**settings), x, y, batch_size=BATCH).findings == ()


def test_without_a_mask_padding_in_front_is_fine():
    import keras

    x, y = padded("pre")
    model = of_words(keras.layers.LSTM(4))
    assert fitguard.check_data(model, x, y, batch_size=BATCH).findings == ()


@pytest.mark.parametrize(
    ("library", "gpus", "severity", "words"),
    [
        ("keras 3.15.0", 1, "error", "stops on a GPU"),
        ("keras 3.15.0", 0, "warning", "stops on a GPU"),
        ("tf_keras 2.21.0", 1, "info", "is slow"),
    ],
)
def test_how_grave_it_is(library, gpus, severity, words):
    target = token_input(mask_value=0.0, recurrent=("reader",))
    one = field(padding=Padding(left_padded=spotted(2, 33)))
    facts = facts_of(one, model=model_of(target, library=library, gpus=gpus))
    found = run_data("FG646", facts).findings[0]
    assert found.severity == severity
    assert words in found.title
