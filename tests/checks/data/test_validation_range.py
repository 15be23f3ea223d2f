import numpy as np
import pytest
from checks.data.made_facts import facts_of, field, model_of, price_output, sampled, token_input
from checks.data.ten_classes import classifier, points
from checks.data.tiny_training import only, regression
from checks.data.whole_check import check_all

from fitguard.checks.framework.testing import run_data
from fitguard.schema.data import ClassCount, Labels

CLASSIFIER = model_of(outputs=(price_output((None, 10), "sparse_categorical_crossentropy"),))


def images():
    x = np.random.default_rng(7).integers(0, 256, size=(128, 4)).astype("float32")
    x[0], x[-1] = 255, 255
    return x, x.mean(axis=1, keepdims=True) / 255


def test_validation_data_that_were_not_scaled():
    x, y = images()
    data = (x[:96] / 255, y[:96])
    raw, scaled = (x[96:], y[96:]), (x[96:] / 255, y[96:])
    model = regression(optimizer="adam")
    history = model.fit(*data, validation_data=scaled, epochs=20, verbose=0).history
    assert history["val_loss"][-1] < 0.1
    assert model.evaluate(*raw, verbose=0) > 100 * history["val_loss"][-1]
    finding = only(check_all(regression(), *data, validation_data=raw), "FG663")
    assert finding.severity == "warning"
    assert finding.title == (
        "x reaches 255 in the validation data and 1 in the training data: a factor of 255"
    )
    assert "the validation data were not" in finding.fix.text
    assert check_all(regression(), *data, validation_data=scaled).findings == ()


def test_training_data_that_were_not_scaled():
    facts = facts_of(field(maximum=255.0), field(split="validation", minimum=0.0))
    assert "the training data were not" in only(run_data("FG663", facts), "FG663").fix.text


@pytest.mark.parametrize(
    ("trained", "validated"), [(1.0, 40.0), (800.0, 20.0), (30.0, 9000.0), (9000.0, 30.0)]
)
def test_ranges_that_may_well_differ(trained, validated):
    facts = facts_of(field(maximum=trained), field(split="validation", maximum=validated))
    assert run_data("FG663", facts).findings == ()


def test_indices_have_no_scale():
    facts = facts_of(
        field(), field(split="validation", maximum=900.0), model=model_of(token_input())
    )
    assert run_data("FG663", facts).findings == ()


def test_few_samples_say_little():
    facts = facts_of(field(), field(split="validation", maximum=900.0, samples_seen=3))
    assert run_data("FG663", facts).findings == ()


def test_a_split_of_sorted_data_validates_on_unknown_classes():
    x, y = points()
    history = classifier().fit(x, y, validation_split=0.2, epochs=3, verbose=0).history
    assert history["accuracy"][-1] > 0.7
    assert history["val_accuracy"][-1] == 0.0
    finding = only(check_all(classifier(), x, y, validation_split=0.2), "FG663")
    assert finding.severity == "warning"
    assert finding.title == (
        "400 validation labels in y (of 400 samples) have classes that the training data never "
        "show: 8, 9"
    )
    assert "numpy.random.permutation" in finding.fix.text


def test_a_split_of_mixed_data():
    x, y = points(mixed=True)
    history = classifier().fit(x, y, validation_split=0.2, epochs=3, verbose=0).history
    assert history["val_accuracy"][-1] > 0.5
    assert check_all(classifier(), x, y, validation_split=0.2).findings == ()


def test_classes_that_the_output_lacks_stop_the_validation():
    import tensorflow as tf

    (x, y), (other, labels) = points(mixed=True), points(200, mixed=True)
    labels = np.where(labels == 3, 10, labels)
    with pytest.raises(tf.errors.InvalidArgumentError, match="label value of 10 which is outside"):
        classifier().fit(x, y, validation_data=(other + 1, labels), verbose=0)
    report = check_all(classifier(), x, y, validation_data=(other + 1, labels))
    finding = only(report, "FG663")
    assert finding.severity == "error"
    place = int(np.flatnonzero(labels == 10)[0])
    assert "20 labels in y of the validation data lie outside 0 to 9" in finding.title
    assert f"sample {place}" in finding.title


def labelled(split: str, *classes: int, **more):
    labels = Labels(
        integral=True,
        distinct=len(classes),
        counts=tuple(ClassCount(float(value), 10) for value in classes),
    )
    return field("y", split=split, labels=labels, **more)


def test_part_of_the_training_data_proves_nothing():
    trained = sampled(labelled("training", 0, 1))
    facts = facts_of(trained, labelled("validation", 0, 1, 2), model=CLASSIFIER)
    assert run_data("FG663", facts).findings == ()


def test_classes_that_only_training_has():
    facts = facts_of(labelled("training", 0, 1, 2), labelled("validation", 1), model=CLASSIFIER)
    assert run_data("FG663", facts).findings == ()


def test_numbers_to_predict_are_no_classes():
    facts = facts_of(labelled("training", 0, 1), labelled("validation", 5))
    assert run_data("FG663", facts).findings == ()


def test_many_new_classes_are_counted():
    facts = facts_of(
        labelled("training", 0), labelled("validation", *range(1, 9)), model=CLASSIFIER
    )
    assert only(run_data("FG663", facts), "FG663").title.endswith("1, 2, 3, 4, 5 and 3 more")
