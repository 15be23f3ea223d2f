import numpy as np
import pytest
from checks.data.made_facts import facts_of, field, model_of
from checks.data.tiny_training import only, regression, table

import fitguard
from fitguard.checks.framework.testing import run_data
from fitguard.schema.data import Source


def stream(*, x_known, y_known):
    """Rows of a table that Python code looks up."""
    import tensorflow as tf

    rows, labels = table()

    def load(number):
        x = tf.numpy_function(lambda at: rows[at], [number], tf.float32)
        y = tf.numpy_function(lambda at: labels[at], [number], tf.float32)
        return tf.ensure_shape(x, (4,)) if x_known else x, (
            tf.ensure_shape(y, (1,)) if y_known else y
        )

    return tf.data.Dataset.range(64).map(load).batch(16).prefetch(1)


@pytest.mark.parametrize("role", ["x", "y"])
def test_a_stream_of_unknown_rank_stops_training(role):
    given = stream(x_known=role != "x", y_known=role != "y")
    found = only(fitguard.check_data(regression(), given), "FG616")
    assert found.severity == "error"
    assert f"the number of axes of {role}: fit cannot build its graph" in found.title
    shape = "(None, 4)" if role == "x" else "(None, 1)"
    assert f"tf.ensure_shape({role}, {shape})" in found.fix.text
    with pytest.raises(ValueError, match="unknown rank"):
        regression().fit(given, verbose=0)


def test_twin_with_shapes_trains_in_silence():
    given = stream(x_known=True, y_known=True)
    model = regression()
    assert fitguard.check_data(model, given).findings == ()
    history = model.fit(given, verbose=0).history
    assert np.isfinite(history["loss"]).all()


@pytest.mark.parametrize(
    ("rankless", "model", "found"),
    [
        (("y",), model_of(library="tf_keras 2.21.0"), 0),
        (("x", "y"), model_of(library="tf_keras 2.21.0"), 1),
        (("x",), model_of(custom_step=True), 0),
        ((), model_of(), 0),
    ],
    ids=["labels in tf_keras", "both in tf_keras", "own step", "known"],
)
def test_edges(rankless, model, found):
    source = Source(kind="dataset", container="tf.data.Dataset", rankless=rankless)
    data = facts_of(field(), field("y"), model=model, sources=(source,))
    assert len(run_data("FG616", data).findings) == found
