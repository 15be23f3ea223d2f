"""What a function of the user's may return."""

import pytest

from fitguard.memory.fit_call.functions import fit_arguments
from fitguard.schema.exit_codes import UsageError


class Model:
    """All that is asked of a model here."""

    def train_step(self, data):
        """Stands for that of Keras."""


MODEL = Model()


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (MODEL, {"model": MODEL}),
        ((MODEL, 1, 2), {"model": MODEL, "x": 1, "y": 2}),
        ((MODEL, 1, 2, 3), {"model": MODEL, "x": 1, "y": 2, "sample_weight": 3}),
        (
            {"model": MODEL, "x": 1, "batch_size": 20, "verbose": 0},
            {"model": MODEL, "x": 1, "batch_size": 20},
        ),
    ],
)
def test_a_model_alone_or_with_data(result, expected):
    assert fit_arguments(result, "train.py:make", model_alone=True) == expected


def test_data_are_needed_where_they_are_judged():
    with pytest.raises(UsageError, match=r"Received Model from train.py:make. Expected \(model, x"):
        fit_arguments(MODEL, "train.py:make")


@pytest.mark.parametrize("result", [None, 3, [MODEL], (MODEL,), {"x": 1}])
def test_anything_else_is_refused(result):
    with pytest.raises(UsageError, match=r"Received .*from train.py:make.*Expected a model, \(mo"):
        fit_arguments(result, "train.py:make", model_alone=True)
