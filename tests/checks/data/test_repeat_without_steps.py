import pytest
from checks.data.made_facts import facts_of
from checks.data.made_pipelines import source, stages
from checks.data.tiny_streams import dataset
from checks.data.tiny_training import BATCH, SAMPLES, only, regression, table

import fitguard
from fitguard.checks.framework.testing import run_data
from fitguard.schema.data import Training

ROUNDS = 25


class Enough(Exception):
    """Raised when a training went on for long enough."""


def test_the_first_epoch_never_ends():
    import keras

    ended = []

    class Watch(keras.callbacks.Callback):
        def on_train_batch_end(self, batch, logs=None):  # noqa: ARG002
            if batch >= ROUNDS * SAMPLES / BATCH:
                raise Enough

        def on_epoch_end(self, epoch, logs=None):  # noqa: ARG002
            ended.append(epoch)

    with pytest.raises(Enough):
        regression().fit(dataset().repeat(), epochs=2, verbose=0, callbacks=[Watch()])
    assert ended == []
    regression().fit(dataset(), epochs=2, verbose=0, callbacks=[Watch()])
    assert ended == [0, 1]


def test_tf_keras_refuses():
    import tf_keras

    model = tf_keras.Sequential([tf_keras.Input((4,)), tf_keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    with pytest.raises(ValueError, match="you must specify the number of steps"):
        model.fit(dataset().repeat(), verbose=0)


def test_found():
    finding = only(fitguard.check_data(regression(), dataset().repeat(), epochs=2), "FG676")
    assert finding.severity == "error"
    assert finding.title.startswith("The training data never end, and steps_per_epoch is not given")
    assert "steps_per_epoch=4" in finding.fix.text


@pytest.mark.parametrize("steps", [None, SAMPLES // BATCH])
def test_silent_with_an_end(steps):
    data = dataset() if steps is None else dataset().repeat()
    report = fitguard.check_data(regression(), data, epochs=2, steps_per_epoch=steps)
    assert report.findings == ()


def test_endless_validation_data():
    x, y = table()
    endless = dataset().map(lambda x, y: (x + 1, y + 4)).repeat()
    found = only(fitguard.check_data(regression(), x, y, validation_data=endless), "FG676")
    assert found.title.endswith("validation_steps is not given: the validation never ends")
    report = fitguard.check_data(regression(), x, y, validation_data=endless, validation_steps=2)
    assert report.findings == ()


@pytest.mark.parametrize(
    ("pipeline", "steps"),
    [
        (stages(("range", {"elements": 100}), ("repeat", {"count": -1}),
                ("batch", {"batch_size": 32})), "=4"),
        (stages(("range", {"elements": None}), ("repeat", {"count": -1}),
                ("batch", {"batch_size": 32})), "=…"),
        (None, "=…"),
    ],
)  # fmt: skip
def test_how_many_steps(pipeline, steps):
    facts = facts_of(sources=(source(pipeline, endless=True, batches=None),))
    assert f"steps_per_epoch{steps}" in only(run_data("FG676", facts), "FG676").fix.text


def test_steps_are_given():
    facts = facts_of(sources=(source(endless=True),), training=Training(steps_per_epoch=3))
    assert run_data("FG676", facts).findings == ()
