"""Scripts that would wait for other processes are looked at alone."""

import json

import pytest

from fitguard.memory.fit_call import read_fit
from fitguard.schema.exit_codes import UsageError

TRAINS = """
with strategy.scope():
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
model.fit(np.ones((16, 3)), np.ones((16, 1)), batch_size=8)
"""
IMPORTS = "import keras, numpy as np, tensorflow as tf\n"


@pytest.fixture
def script(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(text, role="worker", **roles):
        told = {"cluster": roles, "task": {"type": role, "index": 0}}
        monkeypatch.setenv("TF_CONFIG", json.dumps(told))
        (tmp_path / "train.py").write_text(IMPORTS + text)
        return "train.py"

    return write


@pytest.mark.parametrize(
    "resolver", ["", "tf.distribute.cluster_resolver.TFConfigClusterResolver()"]
)
def test_nobody_is_waited_for(script, resolver):
    reference = script(
        f"strategy = tf.distribute.MultiWorkerMirroredStrategy({resolver})\n{TRAINS}",
        worker=["localhost:9", "localhost:10"],
    )
    call = read_fit(reference, [])
    assert call.model.distribute_strategy.num_replicas_in_sync == 1
    assert call.arguments["batch_size"] == 8
    assert any("trains with 2 workers" in note for note in call.notes)


def test_a_function_that_makes_the_model(script):
    function = """
def make():
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    with strategy.scope():
        model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
        model.compile("sgd", "mse")
    return model, np.ones((16, 3)), np.ones((16, 1))
"""
    reference = script(function, worker=["localhost:9", "localhost:10", "localhost:11"])
    assert "trains with 3 workers" in read_fit(f"{reference}:make", []).notes[0]


def test_one_worker_is_alone_anyway(script):
    reference = script(
        f"strategy = tf.distribute.MultiWorkerMirroredStrategy()\n{TRAINS}", worker=["localhost:9"]
    )
    assert read_fit(reference, []).notes == ()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            "strategy = tf.distribute.ParameterServerStrategy(resolver)\n" + TRAINS,
            "ParameterServerStrategy connects to its workers and servers",
        ),
        (
            "tf.distribute.Server(resolver.cluster_spec(), 'ps', 0, start=False).join()",
            "this process only serves the others",
        ),
    ],
)
def test_what_cannot_be_looked_at_alone(script, text, why):
    resolver = "resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()\n"
    reference = script(
        resolver + text, "chief", chief=["localhost:8"], worker=["localhost:9"], ps=["localhost:10"]
    )
    with pytest.raises(UsageError, match=why):
        read_fit(reference, [])
