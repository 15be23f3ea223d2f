"""What a function of the user's may return."""

import numpy as np
import pytest

from fitguard.memory.fit_call.functions import call, fit_arguments, parse_reference
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
            {"model": MODEL, "x": 1, "batch_size": 20, "callbacks": []},
            {"model": MODEL, "x": 1, "batch_size": 20, "callbacks": []},
        ),
    ],
)
def test_a_model_alone_or_with_data(result, expected):
    assert fit_arguments(result, "train.py:make", model_alone=True) == expected


def test_data_are_needed_where_they_are_judged():
    with pytest.raises(UsageError, match=r"Received Model from train.py:make. Expected \(model, x"):
        fit_arguments(MODEL, "train.py:make")


@pytest.mark.parametrize(
    "result",
    [None, 3, [MODEL], (MODEL,), {"x": 1}, (np.ones(3), np.ones(3)), {"model": None, "x": 1}],
)
def test_anything_else_is_refused(result):
    with pytest.raises(UsageError, match=r"Received .*from train.py:make.*Expected a model, \(mo"):
        fit_arguments(result, "train.py:make", model_alone=True)


def test_data_without_a_model_are_named():
    told = r"Received \(ndarray, list\) from train.py:make, without a model\. Expected a model, "
    with pytest.raises(UsageError, match=told):
        fit_arguments((np.ones(3), [1]), "train.py:make", model_alone=True)


@pytest.mark.filterwarnings("error")
def test_an_async_function_is_refused(tmp_path):
    (tmp_path / "train.py").write_text("async def make():\n    return 3")
    with pytest.raises(
        UsageError, match=r"Received make, which is async. Expected a plain function"
    ):
        call(f"{tmp_path}/train.py:make")


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (".", "which is a folder. Expected train.py"),
        ("empty", "which is a folder. Expected the script that trains"),
        ("look.ipynb", "which is a notebook"),
        ("python", "in front of the script"),
        ("train", r"Expected train.py, or train.py:FUNCTION"),
        ("train.log", "`fitguard explain` reads logs"),
        ("train.py:a-b", r"FILE.py:FUNCTION, say train.py:make"),
    ],
)
def test_what_is_no_script_is_told_by_what_it_is(given, told, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    for name in ("train.py", "train.log", "look.ipynb"):
        (tmp_path / name).touch()
    with pytest.raises(UsageError, match=told):
        parse_reference(given)
