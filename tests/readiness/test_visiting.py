"""Which calls of a script are looked at, and which are not."""

import pytest

from fitguard.readiness.visiting import look_at_fits

HEAD = """
import keras, numpy as np, os, sys
x = np.zeros((8, 4), "float32")
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(4)])
model.compile("sgd", "mse")
os.chdir("/")
model.fit(x, x)
"""


def test_a_model_of_keras_2_that_its_first_batch_builds(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    unbuilt = HEAD.replace("import keras", "import tf_keras as keras").replace(
        "keras.Input((4,)), ", ""
    )
    (tmp_path / "train.py").write_text(unbuilt)
    looked = []
    left = look_at_fits("train.py", (), looked.append)
    assert len(looked) == 1
    assert left.notes == left.missed == ()


def test_what_breaks_a_look_is_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(HEAD)

    def look(_call):
        raise ValueError("no such thing")

    left = look_at_fits("train.py", (), look)
    assert "no such thing" in left.notes[0]


@pytest.mark.parametrize(
    ("code", "missed"),
    [
        ("open('/dev/nosuch')\nif model:\n    model.fit(x, x)\nother.fit(x)", (10, 11)),
        ("os.system('true')\nmodel.fit(x, x)", (9,)),
        ("open('/dev/nosuch')", ()),
        ("if len(sys.argv) > 5:\n    model.fit(x, x)", ()),
    ],
)
def test_calls_below_where_a_script_was_left(tmp_path, monkeypatch, code, missed):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(HEAD + code)
    looked = []
    left = look_at_fits("train.py", (), looked.append)
    assert len(looked) == 1
    assert left.missed == missed
    assert len(left.notes) == (1 if "/dev/" in code or "system" in code else 0)
