"""FG628: outputs with a loss and without labels."""

import keras
import pytest
from checks.data.label_facts import MSE, SPARSE, data, labels, output
from checks.data.label_models import checked, clusters, codes, dense, fitted, two_outputs

from fitguard.checks.framework.testing import run_data
from fitguard.schema.data import DataFacts, Failure, Source

BOTH = (output(name="kind"), output(MSE, (None, 1), "linear", name="size"))


def judged(outputs, *fields, **more):
    return run_data("FG628", data(outputs, *fields, **more))


def test_no_labels():
    x, y = clusters()
    model = dense(3, "softmax", SPARSE)
    with pytest.raises(ValueError, match="None values not supported"):
        fitted(model, x, None)
    (finding,) = checked(model, x)
    assert (finding.code, finding.severity) == ("FG628", "error")
    assert finding.title == f"There are no labels, but out is trained with {SPARSE}"
    assert checked(model, x, y) == ()


def test_one_array_for_two_outputs():
    x, y = clusters()
    model = two_outputs([SPARSE, "mse"])
    with pytest.raises(ValueError, match="different structures"):
        fitted(model, x, y)
    (finding,) = checked(model, x, y)
    assert finding.code == "FG628"
    assert finding.title == "y has 1 part, but 2 outputs of the model are trained: kind and size"
    assert "y={'kind': …, 'size': …}" in finding.fix.text
    by_name = {"kind": y, "size": y.astype("float32")}
    twin = two_outputs([SPARSE, "mse"])
    assert codes(twin, x, by_name) == []
    assert fitted(twin, x, by_name)


def test_wrong_name():
    x, y = clusters()
    model, wrong = two_outputs([SPARSE, "mse"]), {"kind": y, "weight": y}
    with pytest.raises(TypeError, match="Expected float32"):
        fitted(model, x, wrong)
    (finding,) = checked(model, x, wrong)
    assert finding.code == "FG628"
    assert finding.title.startswith("y['weight'] goes to no output")


def test_a_dict_for_one_output_without_a_name():
    x, y = clusters()
    model = dense(3, "softmax", SPARSE)
    with pytest.raises(TypeError, match="Expected float32, but got out"):
        fitted(model, x, {"out": y})
    (finding,) = checked(model, x, {"out": y})
    assert finding.code == "FG628"
    assert "y is a dict, but out is the only output" in finding.title
    named = keras.Model(model.inputs, {"out": model.outputs[0]})
    named.compile("sgd", SPARSE)
    assert codes(named, x, {"out": y}) == []
    assert fitted(named, x, {"out": y})


def test_labels_for_the_one_output_that_is_trained():
    x, y = clusters()
    model = two_outputs([SPARSE, None])
    assert fitted(model, x, y)
    assert codes(model, x, y) == []


def test_too_many():
    fields = [labels(name=f"y[{place}]", target=None) for place in range(3)]
    assert "y has 3 parts" in judged(BOTH, *fields).findings[0].title


@pytest.mark.parametrize(
    ("outputs", "fields"),
    [
        (BOTH, (labels(name="y[0]", target="kind"), labels(name="y[1]", target="size"))),
        ((BOTH[0], output(None, name="size")), (labels(target=None),)),
        (output(None), ()),
        (output(), (labels(),)),
    ],
    ids=["both", "one-of-two", "no-loss", "one"],
)
def test_fine(outputs, fields):
    assert judged(outputs, *fields).passed == ("FG628",)


def test_skips():
    assert judged(output(), custom_step=True).skipped
    assert judged(None).skipped
    facts = data(output())
    broken = Source(kind="generator", container="generator", failure=Failure(0, "KeyError: 'a'"))
    judgement = run_data("FG628", DataFacts(model=facts.model, sources=(broken,)))
    assert judgement.skipped[0].reason == "no training data could be read"
