"""FG625: labels that are words."""

import numpy as np
import pytest
from checks.data.label_facts import SPARSE, data, labels, output
from checks.data.label_models import checked, clusters, dense, fitted

from fitguard.checks.framework.testing import run_data

ANIMALS = np.array(["cat", "dog", "hen"])


def test_training_stops():
    x, y = clusters()
    model, words = dense(3, "softmax", SPARSE), ANIMALS[y]
    with pytest.raises(ValueError, match="Invalid dtype: str"):
        fitted(model, x, words)
    (finding,) = checked(model, x, words)
    assert (finding.code, finding.severity) == ("FG625", "error")
    assert "'cat'" in finding.title
    assert "numpy.unique(y, return_inverse=True)" in finding.fix.text
    _, numbers = np.unique(words, return_inverse=True)
    assert checked(model, x, numbers) == ()
    assert fitted(model, x, numbers, rounds=10)[-1] < 1


def test_objects():
    import tensorflow as tf

    x, y = clusters()
    model, words = dense(3, "softmax", SPARSE), ANIMALS.astype(object)[y]
    with pytest.raises(tf.errors.UnimplementedError, match="Cast string to"):
        fitted(model, x, words)
    assert [finding.code for finding in checked(model, x, words)] == ["FG625"]


@pytest.mark.parametrize("dtype", ["<U3", "|S5", "string", "str"])
def test_dtypes(dtype):
    field = labels(labels=None, examples=("'cat'",))
    judgement = run_data("FG625", data(output(), _with(field, dtype=dtype)))
    assert judgement.findings[0].title == f"y is text ({dtype}), such as 'cat'"


def test_unknown_outputs():
    assert run_data("FG625", data(None, _with(labels(), dtype="<U3"))).findings


def test_own_training_step():
    field = _with(labels(), dtype="<U3")
    assert run_data("FG625", data(output(), field, custom_step=True)).skipped


@pytest.mark.parametrize(
    "field",
    [labels(), labels(python_types=("int", "NoneType"))],
    ids=["numbers", "objects"],
)
def test_fine(field):
    assert run_data("FG625", data(output(), field)).passed == ("FG625",)


def _with(field, **changes):
    import msgspec

    return msgspec.structs.replace(field, **changes)
