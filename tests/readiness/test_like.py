"""`probe --like`: the layers that a script uses, probed alone."""

import contextlib
import functools
import subprocess
import sys

import msgspec
import pytest

from fitguard.probes.target import layer
from fitguard.probes.target.bench import Bench, Skip, WrongResult
from fitguard.readiness.kernel import FitKernels
from fitguard.readiness.layers import find_kernels
from fitguard.readiness.probing_like import name_kernels, probe_like
from fitguard.readiness.reproducing import write_reproduction
from fitguard.readiness.visiting import look_at_fits
from fitguard.schema.facts import Facts
from fitguard.schema.probe import ProbeResult

CNN = """
import keras, numpy as np
from keras import layers
model = keras.Sequential([
    keras.Input((12, 12, 1)),
    layers.Conv2D(4, 3, activation="relu", kernel_initializer="he_normal"),
    layers.BatchNormalization(),
    layers.MaxPooling2D(),
    *(layers.Conv2D(4, 3, padding="same", kernel_regularizer="l2") for _ in range(3)),
    layers.Flatten(), layers.Dropout(0.5), layers.Dense(3),
])
model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(np.ones((50, 12, 12, 1)), np.zeros(50), batch_size=16)
"""
LSTM = """
import keras, numpy as np
from keras import layers
model = keras.Sequential([
    keras.Input((6, 3)),
    layers.Masking(),
    layers.LSTM(4, return_sequences=True, dropout=0.2),
    layers.Bidirectional(layers.GRU(4)),
    layers.Dense(1),
])
model.compile("sgd", "mse")
model.fit(np.ones((50, 6, 3)), np.zeros(50), batch_size=10)
"""
TRANSFORMER = """
import keras, numpy as np
from keras import layers
tokens = keras.Input((8,), dtype="int32")
x = layers.Embedding(100, 16, mask_zero=True)(tokens)
x = layers.Add()([x, layers.MultiHeadAttention(2, 8)(x, x, use_causal_mask=True)])
x = layers.LayerNormalization()(x)
model = keras.Model(tokens, layers.Dense(2, activation="softmax")(x))
model.compile("adam", "sparse_categorical_crossentropy")
model.fit(np.ones((40, 8), "int32"), np.zeros((40, 8)), batch_size=20)
"""
MIXED = """
import keras, numpy as np
keras.mixed_precision.set_global_policy("mixed_float16")
left, right = keras.Input((6,)), keras.Input((4,))
x = keras.layers.Concatenate()([left, keras.layers.Dense(4, activation="gelu")(right)])
model = keras.Model([left, right], keras.layers.Dense(1, dtype="float32")(x))
model.compile("adam", "mse")
keras.mixed_precision.set_global_policy("float32")
model.fit([np.ones((40, 6)), np.ones((40, 4))], np.zeros(40), batch_size=20)
"""
OWN = """
import keras, numpy as np
from keras import layers

class Scale(layers.Layer):
    def __init__(self):
        super().__init__()
        self.inner = layers.Dense(5)
    def call(self, x):
        return 2 * self.inner(x)

class Own(keras.Model):
    def __init__(self):
        super().__init__()
        self.body = keras.Sequential([Scale(), layers.Dense(3, activation=lambda x: x * x)])
        self.head = layers.Dense(1)
    def call(self, x):
        return self.head(self.body(x))

model = Own()
model.compile("adam", "mse")
model.fit(np.ones((40, 6)), np.zeros(40), batch_size=20)
"""
FEW_ROWS = """
import keras, numpy as np, tensorflow as tf
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
model.compile("sgd", "mse")
rows = [np.ones((9, 4), "float32"), np.ones((9, 1), "float32")]
stream = tf.data.Dataset.from_tensor_slices(tuple(rows))
model.fit(FIT)
"""
OLD_KERAS = """
import tf_keras as keras, numpy as np
x = keras.Input((6, 3))
y = keras.layers.GRU(4)(keras.layers.Masking()(x))
model = keras.Model(x, y)
model.compile("sgd", "mse")
model.fit(np.ones((50, 6, 3)), np.zeros((50, 4)), batch_size=10)
"""


@pytest.fixture(scope="module")
def find(tmp_path_factory):
    """What a script uses; it is run in this process, up to its `fit`, and once."""
    folder = tmp_path_factory.mktemp("scripts")

    @functools.cache
    def find_in(script: str) -> FitKernels:
        (folder / "train.py").write_text(script)
        found: list[FitKernels] = []
        with contextlib.chdir(folder):
            look_at_fits("train.py", [], lambda call: found.append(find_kernels(call)))
        [fit] = found
        return fit

    return find_in


@pytest.fixture
def probe(tmp_path):
    """Probe a kernel in this process."""

    def run_probe(kernel, fault=""):
        options = {"probe": "like/it", "answers": str(tmp_path / "answers"), "fault": fault}
        bench = Bench({**options, "device": "CPU", "layer": msgspec.to_builtins(kernel)})
        bench.start()
        bench.devices = ["/CPU:0"]
        return layer.run(bench)

    yield run_probe
    _forget_policy()


def _forget_policy():
    """Probes and reproductions set it for their whole process."""
    for package in {"keras", "tf_keras"} & sys.modules.keys():
        sys.modules[package].mixed_precision.set_global_policy("float32")


def describe(fit):
    return [
        (one.class_name, one.made["arguments"], one.policy, one.args, one.count)
        for one in fit.kernels
    ]


def array(*shape, dtype="float32", fill="normal"):
    return {"shape": list(shape), "dtype": dtype, "fill": fill}


def test_a_convolutional_network(find, probe):
    fit = find(CNN)
    like_it = {"filters": 4, "kernel_size": [3, 3]}
    assert describe(fit) == [
        ("Conv2D", {**like_it, "activation": "relu"}, "float32", [array(16, 12, 12, 1)], 1),
        ("BatchNormalization", {}, "float32", [array(16, 10, 10, 4)], 1),
        ("MaxPooling2D", {}, "float32", [array(16, 10, 10, 4)], 1),
        ("Conv2D", {**like_it, "padding": "same"}, "float32", [array(16, 5, 5, 4)], 3),
        ("Dense", {"units": 3}, "float32", [array(16, 100)], 1),
    ]
    left_out = fit.left_out[-1]
    assert left_out.endswith("random: Flatten, Dropout.")
    told = [probe(kernel) for kernel in fit.kernels]
    assert told[0].startswith("Conv2D of (16, 12, 12, 1) in float32, forward and backward: error")
    assert told[3].endswith("; 3 layers are alike")


def test_recurrent_layers_get_masks_and_draw_nothing(find, probe):
    fit = find(LSTM)
    mask = array(10, 6, dtype="bool", fill="lengths")
    assert [(one.class_name, one.kwargs, one.training) for one in fit.kernels] == [
        ("LSTM", {"mask": mask}, False),
        ("Bidirectional", {"mask": mask}, True),
        ("Dense", {}, True),
    ]
    assert fit.kernels[1].made["arguments"] == {
        "layer": {"class_name": "GRU", "arguments": {"units": 4}}
    }
    for kernel in fit.kernels:
        probe(kernel)


def test_a_transformer(find, probe):
    fit = find(TRANSFORMER)
    embedding, attention, *others = fit.kernels
    assert embedding.args == [{**array(20, 8, dtype="int32", fill="index"), "below": 100}]
    assert attention.kwargs["use_causal_mask"] == {"value": True}
    assert attention.kwargs["value"] == array(20, 8, 16)
    assert {"query_mask", "value_mask"} <= set(attention.kwargs)
    assert [one.class_name for one in others] == ["Add", "LayerNormalization", "Dense"]
    for kernel in fit.kernels:
        probe(kernel)


def test_types_of_mixed_precision_and_several_inputs(find, probe):
    fit = find(MIXED)
    half = "float16"
    assert describe(fit) == [
        ("Dense", {"units": 4, "activation": "gelu"}, "mixed_float16", [array(20, 4)], 1),
        ("Concatenate", {}, "mixed_float16", [[array(20, 6), array(20, 4, dtype=half)]], 1),
        ("Dense", {"units": 1}, "float32", [array(20, 10, dtype=half)], 1),
    ]
    assert "in float16, forward and backward" in probe(fit.kernels[0])
    for kernel in fit.kernels[1:]:
        probe(kernel)


def test_code_of_the_user_is_opened_and_named(find):
    fit = find(OWN)
    assert [(one.class_name, one.made["arguments"]) for one in fit.kernels] == [
        ("Dense", {"units": 5}),
        ("Dense", {"units": 1}),
    ]
    assert "Scale was not probed: it is code of your own." in fit.left_out
    assert any("its activation is code of your own" in line for line in fit.left_out)


@pytest.mark.parametrize(
    ("arguments", "batch_size"),
    [
        ("*rows", 9),
        ("*rows, batch_size=16", 9),
        ("*rows, batch_size=4", 4),
        ("*rows, validation_split=0.34", 5),
        ("*map(tf.constant, rows)", 9),
        ("stream.batch(32)", 9),
        ("stream.repeat().batch(32)", 32),
        ("stream.batch(4, drop_remainder=True)", 4),
        ("(tuple(rows) for _ in range(3))", 9),
        ("stream.map(lambda *row: tf.py_function(exit, [], [tf.float32])).batch(8)", 8),
    ],
)
def test_few_rows_make_a_small_batch(find, arguments, batch_size):
    [kernel] = find(FEW_ROWS.replace("FIT", arguments)).kernels
    assert (kernel.args, kernel.batch_size) == ([array(batch_size, 4)], batch_size)


def test_layers_of_old_keras(find, probe, capsys):
    [kernel] = find(OLD_KERAS).kernels
    assert (kernel.library, kernel.class_name) == ("tf_keras", "GRU")
    assert kernel.kwargs == {"mask": array(10, 6, dtype="bool", fill="lengths")}
    probe(kernel)
    result = ProbeResult(name="like/gru", device="CPU", status="crash")
    script = write_reproduction(kernel, result, Facts()).script
    assert len(script.splitlines()) == 17
    exec(script, {})
    assert capsys.readouterr().out == "It came to its end.\n"


def test_the_reference_has_a_part_of_a_large_batch(find, probe):
    kernel = find(CNN).kernels[0]
    rows = 4 * 2**18 // (32 * 32)
    large = msgspec.structs.replace(kernel, args=[array(rows, 32, 32, 1)], batch_size=rows)
    assert probe(large).endswith("; the reference has 256 of 1024 rows")


def test_a_wrong_bit_is_found(find, probe):
    with pytest.raises(WrongResult, match=r"^the output is wrong in 1 of 6400 elements"):
        probe(find(CNN).kernels[0], "like/it:wrong-bits")


def test_a_weaker_reference_is_said(find, probe, monkeypatch):
    own = layer._Comparison._compute_on_cpu

    def refuse_float64(self, weights, dtype):
        if dtype == "float64":
            raise TypeError("no such kernel")
        return own(self, weights, dtype)

    monkeypatch.setattr(layer._Comparison, "_compute_on_cpu", refuse_float64)
    told = probe(find(CNN).kernels[-1])
    assert "the reference is in float32, as float64 raised TypeError" in told
    assert told.endswith("so this only shows that it runs")


def test_what_cannot_be_made_again_is_skipped(find, probe):
    kernel = find(CNN).kernels[0]
    unknown = {"class_name": "Conv2D", "arguments": {"filters": 4, "activation": "mine"}}
    with pytest.raises(Skip, match="The layer could not be made again"):
        probe(msgspec.structs.replace(kernel, made=unknown))


def test_kernels_of_several_fits_come_once(find):
    fit = find(CNN)
    other = msgspec.structs.replace(fit.kernels[0], args=[array(8, 12, 12, 1)], batch_size=8)
    named = name_kernels([fit, fit, FitKernels(kernels=(other,))])
    first = fit.kernels[0].name
    assert len(named) == len(fit.kernels) + 1
    assert named[f"like/{first}"] == fit.kernels[0]
    assert named[f"like/{first}-2"] == other


def test_reproductions_run(find, capsys):
    for kernel in (*find(TRANSFORMER).kernels, *find(MIXED).kernels, *find(LSTM).kernels[1:2]):
        result = ProbeResult(
            name=f"like/{kernel.name}", device="CPU", status="fail", detail="the output is wrong"
        )
        exec(write_reproduction(kernel, result, Facts()).script, {})
    _forget_policy()
    printed = capsys.readouterr().out.splitlines()
    assert printed
    assert all(line.endswith(" fine") for line in printed)


SMALL = """
import sys
import keras, numpy as np
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(int(sys.argv[1]), name="mine")])
model.compile("sgd", "mse")
model.fit(np.ones((10, 4)), np.ones((10, 1)), batch_size=5)
"""


def test_a_failure_comes_with_a_script_that_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(SMALL)
    monkeypatch.setenv("FITGUARD_PROBE_FAULT", "like/mine:wrong-bit")
    report = probe_like("train.py", ["3"], python=sys.executable)
    assert report.like == "train.py"
    *gates, failed = report.results
    assert {one.status for one in gates} == {"pass"}
    assert (failed.name, failed.status) == ("like/mine", "fail")
    assert "The output is wrong in 1 of 15 elements" in failed.detail
    assert failed.diagnosis is not None
    assert failed.diagnosis.causes[0].cause == "framework-bug"
    [reproduction] = report.reproductions
    assert "keras.layers.Dense(units=3)" in reproduction.script
    assert any(fact.startswith("TensorFlow 2") for fact in reproduction.facts)
    done = subprocess.run(
        [sys.executable, "-c", reproduction.script], capture_output=True, text=True, check=True
    )
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["output", "dx", "dw"]
    assert "WRONG" not in done.stdout
