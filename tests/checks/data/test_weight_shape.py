import numpy as np
import pytest
from checks.data.made_facts import facts_of, field, model_of, price_output
from checks.data.tiny_training import BATCH, SAMPLES, losses, only, regression, table

import fitguard
from fitguard.checks.framework.testing import run_data

RANDOM = np.random.default_rng(5)


def sequence_model(steps, library="keras"):
    """A number for each of some steps."""
    keras = pytest.importorskip(library)
    model = keras.Sequential([keras.Input((steps, 4)), keras.layers.Dense(2)])
    model.compile("sgd", "mse")
    return model


def sequence_data(steps, weights):
    x = RANDOM.normal(size=(SAMPLES, steps, 4)).astype("float32")
    y = RANDOM.normal(size=(SAMPLES, steps, 2)).astype("float32")
    return {"x": x, "y": y, "sample_weight": RANDOM.random((SAMPLES, *weights)).astype("float32")}


def test_weights_with_one_axis_too_many_stop_the_first_step():
    x, y = table()
    weights = RANDOM.random((SAMPLES, 3)).astype("float32")
    found = only(fitguard.check_data(regression(), x, y, sample_weight=weights), "FG649")
    assert "sample_weight has the shape (n, 3), and the losses of price have (n,)" in found.title
    with pytest.raises(ValueError, match="Dimensions must be equal"):
        losses(regression(), x, y, sample_weight=weights)


def test_one_weight_for_each_sample_of_a_sequence_stops_the_first_step():
    data = sequence_data(5, weights=())
    found = only(fitguard.check_data(sequence_model(5), **data, batch_size=BATCH), "FG649")
    assert "sample_weight.reshape(-1, 1)" in found.fix.text
    with pytest.raises(ValueError, match="Dimensions must be equal"):
        losses(sequence_model(5), **data)


def test_with_as_many_steps_as_samples_in_a_batch_it_trains_on_nonsense():
    """One batch in which only sample 0 has a weight: its loss alone must count."""
    model = sequence_model(BATCH)
    data = {name: array[:BATCH] for name, array in sequence_data(BATCH, weights=()).items()}
    data["sample_weight"] = np.eye(BATCH, dtype="float32")[0]
    only(fitguard.check_data(model, **data, batch_size=BATCH), "FG649")
    error = ((model.predict(data["x"], verbose=0) - data["y"]) ** 2).mean(axis=-1)
    loss = losses(model, **data, epochs=1)[0]
    np.testing.assert_allclose(loss, error[:, 0].sum() / error.size, rtol=1e-4)
    assert abs(loss - error[0].sum() / error.size) > 0.01


@pytest.mark.parametrize("weights", [(5,), (1,), (5, 1)])
def test_healthy_twin_trains_in_silence(weights):
    data = sequence_data(5, weights)
    model = sequence_model(5)
    assert fitguard.check_data(model, **data, batch_size=BATCH).findings == ()
    assert np.isfinite(losses(model, **data)).all()


def test_tf_keras_widens_the_weights_itself():
    data = sequence_data(5, weights=())
    model = sequence_model(5, "tf_keras")
    assert fitguard.check_data(model, **data, batch_size=BATCH).findings == ()
    assert np.isfinite(losses(model, **data)).all()


# Each was tried with Keras 3.15: output, weights of one sample, whether fit takes them as meant.
TRIED = [
    ((None, 1), (), True),
    ((None, 1), (1,), True),
    ((None, 3), (3,), False),
    ((None, 5, 1), (), False),
    ((None, 1, 3), (), True),
    ((None, 5, 2), (3,), False),
    ((None, 5, 2), (5, 2), False),
    ((None, 6, 7, 2), (), False),
    ((None, 6, 7, 2), (1,), False),
    ((None, 6, 7, 2), (7,), False),
    ((None, 6, 7, 2), (6, 7), True),
    ((None, 6, 7, 2), (6, 1), True),
    ((None, 6, 7, 2), (1, 1), True),
    ((None, 6, 7, 2), (6, 7, 1), True),
    ((None, None, 2), (5,), True),
]


@pytest.mark.parametrize(("output", "weights", "fits"), TRIED)
def test_shapes(output, weights, fits):
    model = model_of(outputs=(price_output(output),))
    judged = run_data("FG649", facts_of(field("sample_weight", shape=weights), model=model))
    assert (judged.findings == ()) is fits


@pytest.mark.parametrize(
    "output",
    [
        price_output((None, 5, 2), loss="mine", custom=True),
        price_output((None, 5, 2), loss="dice"),
        price_output(None),
    ],
)
def test_unknown_losses_are_no_verdict(output):
    model = model_of(outputs=(output,))
    assert run_data("FG649", facts_of(field("sample_weight"), model=model)).findings == ()


def test_a_single_array_counts_for_all_outputs():
    outputs = price_output(), price_output((None, 5, 2))
    one = field("sample_weight", target=None)
    judged = run_data("FG649", facts_of(one, model=model_of(outputs=outputs)))
    assert len(judged.findings) == 1
    assert "(n, 5)" in judged.findings[0].title
