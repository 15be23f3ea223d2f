import numpy as np
import pytest
from checks.data.made_facts import facts_of, field, model_of, table_input, token_input
from checks.data.ten_classes import CLASSES, classifier, points
from checks.data.tiny_training import only, regression, table
from checks.data.whole_check import check_all

from fitguard.checks.framework.testing import run_data


def held_out(role: str = "x", **more):
    return field(role, split="validation", **more)


def train_and_check(model, data, validation_data, error: str):
    """The report of data that must fail, with these words, when the first epoch is over."""
    with pytest.raises(ValueError, match=error):
        model.fit(*data, validation_data=validation_data, verbose=0)
    return check_all(model, *data, validation_data=validation_data)


def test_a_missing_column_stops_the_validation():
    x, y = table()
    held_out = (x[:8, :3] + 1, y[:8])
    error = "expected axis -1 of input shape to have value 4"
    report = train_and_check(regression(), (x, y), held_out, error)
    finding = only(report, "FG662")
    assert finding.severity == "error"
    assert (
        finding.title == "x has shape (n, 3) in the validation data and (n, 4) in the training data"
    )


def test_the_same_columns_train():
    x, y = table()
    data = {"validation_data": (x[:8] + 1, y[:8] + 4)}
    assert check_all(regression(), x, y, **data).findings == ()
    assert np.isfinite(regression().fit(x, y, verbose=0, **data).history["val_loss"]).all()


def test_one_hot_beside_class_numbers():
    x, y = points(200)
    one_hot = np.eye(CLASSES, dtype="float32")[y]
    error = r"must have rank \(ndim\) `target.ndim - 1`"
    report = train_and_check(classifier(), (x, y), (x + 1, one_hot), error)
    assert only(report, "FG662").title.startswith(
        "y has shape (n, 10) in the validation data and (n,)"
    )


def test_labels_that_lack():
    import tensorflow as tf

    x, y = table()
    without = tf.data.Dataset.from_tensor_slices(x + 1).batch(8).prefetch(1)
    report = train_and_check(regression(), (x, y), without, "None values not supported")
    assert only(report, "FG662").title == "The validation data have no y"


def test_text_where_numbers_were():
    facts = facts_of(field(), held_out(dtype="object", examples=("'a'",)))
    finding = only(run_data("FG662", facts), "FG662")
    assert finding.severity == "error"
    assert "object in the validation data, which the model cannot read" in finding.title


def test_fractions_that_were_cut_off():
    x, y = np.random.default_rng(7).uniform(0, 1, size=(64, 4)).astype("float32"), table()[1]
    cut = x.astype("int32")
    assert not cut.any()
    report = check_all(regression(), x, y, validation_data=(cut, y), ignore=("FG650", "FG651"))
    finding = only(report, "FG662")
    assert finding.severity == "warning"
    assert finding.title.startswith("x is int32 in the validation data, without the fractions")


def test_indices_may_come_as_integers():
    facts = facts_of(field(), held_out(dtype="int64"), model=model_of(token_input()))
    assert run_data("FG662", facts).findings == ()


@pytest.mark.parametrize(("shape", "count"), [((7,), 0), ((4,), 0), ((None,), 0), ((4, 2), 1)])
def test_an_axis_that_the_model_leaves_open(shape, count):
    model = model_of(table_input(shape=(None, None)))
    facts = facts_of(field(), held_out(shape=shape), model=model)
    assert len(run_data("FG662", facts).findings) == count


def test_a_column_of_one_is_no_other_shape():
    facts = facts_of(field("y"), field(), held_out(), held_out("y", shape=()))
    assert run_data("FG662", facts).findings == ()


@pytest.mark.parametrize(("shape", "count"), [((9, 3), 0), ((4, 2), 1), ((3,), 1)])
def test_a_subclassed_model_binds_rank_and_last_axis(shape, count):
    model = model_of(inputs=None, outputs=None)
    facts = facts_of(
        field(shape=(4, 3), target=None), held_out(shape=shape, target=None), model=model
    )
    assert len(run_data("FG662", facts).findings) == count


def test_the_training_data_are_judged_elsewhere():
    facts = facts_of(field(shape=(5,)), held_out())
    assert run_data("FG662", facts).findings == ()


def test_labels_of_a_step_of_its_own():
    facts = facts_of(field(), field("y"), held_out(), model=model_of(custom_step=True))
    assert run_data("FG662", facts).findings == ()


def test_skipped_without_validation_data():
    assert "no validation data" in run_data("FG662", facts_of(field())).skipped[0].reason
