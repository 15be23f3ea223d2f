"""Masks, and the recurrent layers that get them."""

import pytest
from inputs.models import zoo

from fitguard.inputs.models import describe


def test_the_mask_of_an_embedding_reaches_the_recurrent_layers(library):
    found = describe(zoo.text_classifier(library)).inputs[0]
    assert (found.mask_value, found.mask_layer) == (0.0, "words")
    assert found.recurrent == ("both", "last")
    assert found.reader == "words"


@pytest.mark.parametrize(
    "setting",
    [
        {"activation": "relu"},
        {"recurrent_activation": "hard_sigmoid"},
        {"recurrent_dropout": 0.1},
        {"unroll": True},
        {"use_bias": False},
    ],
    ids=str,
)
def test_settings_that_keep_an_lstm_from_cudnn(library, setting):
    layers = library.layers
    steps = [library.Input((3, 2)), layers.Masking(-1.0, name="gaps"), layers.LSTM(2, **setting)]
    found = describe(library.Sequential(steps)).inputs[0]
    assert (found.mask_value, found.mask_layer, found.recurrent) == (-1.0, "gaps", ())


def test_a_gru_of_the_old_kind_is_not_for_cudnn(library):
    layers = library.layers
    old = library.Sequential([layers.Masking(), layers.GRU(2, reset_after=False)])
    assert describe(old).inputs[0].recurrent == ()


def test_keras_3_can_be_told_not_to_use_cudnn(keras3):
    layers = keras3.layers
    model = keras3.Sequential([layers.Masking(), layers.LSTM(2, use_cudnn=False)])
    assert describe(model).inputs[0].recurrent == ()


def test_a_mask_ends_where_the_sequence_ends(library):
    layers = library.layers
    tokens = library.Input((4,), dtype="int32")
    embedded = layers.Embedding(7, 2, mask_zero=True)(tokens)
    summed = layers.LSTM(2, name="first")(layers.Dropout(0.1)(embedded))
    again = layers.LSTM(2, name="second")(layers.RepeatVector(3)(summed))
    assert describe(library.Model(tokens, again)).inputs[0].recurrent == ("first",)


def test_an_operation_loses_the_mask(library):
    layers = library.layers
    tokens = library.Input((4,), dtype="int32")
    doubled = layers.Embedding(7, 2, mask_zero=True)(tokens) * 2.0
    found = describe(library.Model(tokens, layers.LSTM(2)(doubled))).inputs[0]
    assert (found.mask_value, found.recurrent) == (0.0, ())


def test_an_average_over_what_is_not_padding(library):
    layers = library.layers
    steps = [layers.Embedding(7, 2, mask_zero=True), layers.GlobalAveragePooling1D(name="mean")]
    assert describe(library.Sequential(steps)).inputs[0].averaged == ("mean",)


def test_no_mask(library):
    layers = library.layers
    found = describe(library.Sequential([layers.Embedding(7, 2), layers.LSTM(2)])).inputs[0]
    assert (found.mask_value, found.mask_layer, found.recurrent) == (None, None, ())


def test_masking_behind_other_numbers_says_nothing_of_the_input(library):
    layers = library.layers
    steps = [layers.Rescaling(0.5), layers.Masking(), layers.LSTM(2)]
    assert describe(library.Sequential(steps)).inputs[0].mask_value is None
