import numpy as np
import pytest
from checks.data.made_facts import facts_of, field
from checks.data.tiny_training import only
from checks.data.whole_check import check_all

from fitguard.checks.framework.testing import run_data
from fitguard.schema.data import Overlap, Place, Spotted


def judge():
    import keras

    keras.utils.set_random_seed(1)
    model = keras.Sequential(
        [
            keras.Input((16,), name="table"),
            keras.layers.Dense(128, activation="relu"),
            keras.layers.Dense(1, activation="sigmoid", name="guilty"),
        ]
    )
    model.compile(keras.optimizers.Adam(0.01), "binary_crossentropy", metrics=["accuracy"])
    return model


def by_lot():
    """Labels that nobody can predict."""
    chance = np.random.default_rng(7)
    x = chance.normal(size=(160, 16)).astype("float32")
    return x, chance.integers(0, 2, size=160)


def test_what_was_learned_by_heart_looks_like_skill():
    x, y = by_lot()
    training, fresh, seen = (x[:80], y[:80]), (x[80:], y[80:]), (x[20:100], y[20:100])
    model = judge()
    model.fit(*training, epochs=40, verbose=0)
    known = model.evaluate(x[20:80], y[20:80], verbose=0)[1]
    unknown = model.evaluate(*fresh, verbose=0)[1]
    assert known > 0.95
    assert unknown < 0.7
    finding = only(check_all(judge(), *training, validation_data=seen), "FG664")
    assert finding.severity == "warning"
    assert finding.title == (
        "60 (75 %) of the 80 validation samples compared are among the training data too"
    )
    assert finding.evidence[0].text == "sample 0 is training sample 20"
    assert check_all(judge(), *training, validation_data=fresh).findings == ()


def overlap(found: int, compared: int = 100) -> Overlap:
    return Overlap(compared, 1000, Spotted(found, (Place(sample=3, value="7"),)))


def test_all_of_them():
    facts = facts_of(field(), field(split="validation"), overlap=overlap(100))
    finding = only(run_data("FG664", facts), "FG664")
    assert finding.title.startswith("All 100 validation samples compared")
    assert finding.confidence == "high"


@pytest.mark.parametrize(("found", "compared"), [(0, 100), (9, 100), (4, 10)])
def test_some_samples_come_twice_in_every_collection(found, compared):
    facts = facts_of(field(), field(split="validation"), overlap=overlap(found, compared))
    assert run_data("FG664", facts).findings == ()


@pytest.mark.parametrize(("shape", "count"), [((4,), 0), ((15,), 0), ((28, 28), 1)])
def test_short_rows_of_integers_are_equal_by_chance(shape, count):
    facts = facts_of(
        field(), field(split="validation", shape=shape, dtype="int64"), overlap=overlap(90)
    )
    assert len(run_data("FG664", facts).findings) == count


def test_skipped_where_nothing_was_compared():
    assert run_data("FG664", facts_of(field())).skipped[0].reason.endswith("were not compared")


def test_rows_of_few_categories_are_equal_by_chance():
    from checks.data.tiny_training import regression

    chance = np.random.default_rng(7)
    x = chance.integers(0, 2, size=(300, 6)).astype("float32")
    y = chance.normal(size=(300, 1))
    report = check_all(regression(6), x[:250], y[:250], validation_data=(x[250:], y[250:]))
    assert report.facts.overlap.whole
    assert report.findings == ()
    halves = x + 0.5
    report = check_all(
        regression(6), halves[:250], y[:250], validation_data=(halves[250:], y[250:])
    )
    assert [finding.code for finding in report.findings] == ["FG664"]


def test_a_split_without_a_batch_overlaps_with_nothing():
    import tensorflow as tf
    from checks.data.tiny_training import regression, table

    x, y = table()
    empty = tf.data.Dataset.from_tensor_slices((x, y)).batch(128, drop_remainder=True).prefetch(1)
    report = check_all(regression(), x, y, validation_data=empty)
    assert [finding.code for finding in report.findings] == ["FG611"]
