"""Which input or output an array goes to."""

import numpy as np

import fitguard


def gpt():
    """Two outputs, of which one is trained."""
    import keras

    tokens = keras.Input((5,), dtype="int32", name="tokens")
    states = keras.layers.Embedding(20, 4, name="states")(tokens)
    model = keras.Model(tokens, [keras.layers.Dense(20, name="next")(states), states])
    crossentropy = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("sgd", loss=[crossentropy, None])
    return model


def test_labels_that_stand_alone_go_to_the_only_output_with_a_loss():
    x = np.random.default_rng(7).integers(0, 20, size=(32, 6))
    report = fitguard.check_data(gpt(), x[:, :-1], x[:, 1:])
    assert report.findings == ()
    assert report.facts.fields[1].target == "next"
    gpt().fit(x[:, :-1], x[:, 1:], verbose=0)
    wrong = np.where(x == 7, 20, x)
    report = fitguard.check_data(gpt(), x[:, :-1], wrong[:, 1:])
    assert [finding.code for finding in report.findings] == ["FG620"]
