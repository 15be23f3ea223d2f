"""Every kind of data that `fit` takes: the specs are those that `train_step` really gets."""

import importlib

import numpy as np
import pandas as pd
import pytest

from fitguard.memory.preparation import prepare
from fitguard.schema.exit_codes import UsageError

SAMPLES = 25
X, Y = np.zeros((SAMPLES, 3)), np.zeros(SAMPLES, "int64")


@pytest.fixture(params=["keras", "tf_keras"])
def library(request):
    return importlib.import_module(request.param)


def recorder(library):
    """A model that notes what its `train_step` gets."""
    import tensorflow as tf

    class Recorder(library.Model):
        def train_step(self, data):
            RECORDED.append(tf.nest.map_structure(tf.TensorSpec.from_tensor, data))
            return {"loss": tf.constant(0.0)}

        def call(self, x):
            return x

    model = Recorder()
    model.compile("sgd", "mse")
    return model


RECORDED = []


def dataset(*parts, batch_size=None):
    import tensorflow as tf

    samples = tf.data.Dataset.from_tensor_slices(parts if len(parts) > 1 else parts[0])
    return samples.batch(batch_size) if batch_size else samples


def batches(library):
    base = library.utils.PyDataset if library.__name__ == "keras" else library.utils.Sequence

    class Batches(base):
        def __len__(self):
            return 3

        def __getitem__(self, index):
            return X[index * 10 : index * 10 + 10], Y[index * 10 : index * 10 + 10]

    return Batches()


def tensors(_library):
    import tensorflow as tf

    return {"x": tf.constant(X), "y": tf.constant(Y)}


KINDS = {
    "an array alone": lambda _: {"x": X},
    "arrays": lambda _: {"x": X.astype("float16"), "y": Y},
    "images of bytes": lambda _: {"x": np.zeros((SAMPLES, 4, 4, 3), "uint8"), "y": Y},
    "weights": lambda _: {"x": X, "y": Y, "sample_weight": np.ones(SAMPLES)},
    "class weights": lambda _: {"x": X, "y": Y, "class_weight": {0: 1.0}},
    "a list": lambda _: {"x": [X, Y]},
    "dicts": lambda _: {"x": {"b": X, "a": Y}, "y": {"one": Y}},
    "pandas": lambda _: {"x": pd.DataFrame(X), "y": pd.Series(Y)},
    "tensors": tensors,
    "a dataset": lambda _: {"x": dataset(X, Y, batch_size=10)},
    "a dataset of dicts": lambda _: {"x": dataset({"image": X, "label": Y}, batch_size=10)},
    "a PyDataset": lambda keras: {"x": batches(keras)},
}


@pytest.mark.parametrize("kind", KINDS)
def test_specs_are_what_train_step_gets(library, kind):
    import tensorflow as tf

    given = KINDS[kind](library)
    own_batches = hasattr(given["x"], "element_spec") or kind == "a PyDataset"
    settings = {} if own_batches else {"batch_size": 10}
    model = recorder(library)
    with prepare(model, **given, **settings) as prepared:
        data, size = prepared.training.data, prepared.batch_size
    RECORDED.clear()
    model.fit(**given, **settings, verbose=0)
    [expected, *_] = RECORDED
    assert size == 10
    tf.nest.assert_same_structure(data, expected)
    for one, tensor in zip(tf.nest.flatten(data), tf.nest.flatten(expected), strict=True):
        assert (one.dtype, one.shape[0]) == (tensor.dtype, None)
        # tf_keras leaves the axes of a Sequence open.
        assert one.shape.is_compatible_with(tensor.shape)
        assert one.shape.rank == tensor.shape.rank


def classifier(library=None):
    library = library or importlib.import_module("keras")
    model = library.Sequential([library.Input((3,)), library.layers.Dense(4, activation="softmax")])
    model.compile("sgd", "sparse_categorical_crossentropy")
    return model


def inputs(*args, **kwargs):
    with prepare(classifier(), *args, **kwargs) as prepared:
        return prepared.batch_size, prepared.step.inputs, prepared.notes


PLANNED = (("x", (8, 3), "float32"), ("y", (8,), "int32"))


def shapes():
    import keras
    import tensorflow as tf

    return [
        *((None, 3), [None, 3], (3,), (8, 3)),
        *(tf.TensorShape((None, 3)), tf.TensorSpec((8, 3)), keras.Input((3,))),
    ]


def test_shapes_in_place_of_data():
    for shape in shapes():
        assert inputs(8, shape)[:2] == (8, PLANNED), shape
    assert inputs(None, (8, 3))[0] == 8
    assert inputs(None, (None, 3))[0] == 32


def test_labels_as_a_shape():
    assert inputs(8, (None, 3), (None, 1))[1] == (
        *(("x", (8, 3), "float32"), ("y", (8, 1), "float32")),
    )


def test_a_generator_is_not_read():
    drawn = []

    def endless():
        while True:
            drawn.append(1)
            yield X[:5], Y[:5]

    size, planned, notes = inputs(8, endless())
    assert (size, planned, drawn) == (8, PLANNED, [])
    assert "A generator can be read only once" in notes[0]
    with pytest.raises(UsageError, match="do not tell their batch size"):
        inputs(None, endless())


def test_a_function_that_makes_generators_is_called():
    def made():
        yield X[:5].astype("float32"), Y[:5]

    size, planned, _ = inputs(None, made)
    assert (size, planned[1]) == (5, ("y", (5,), "int64"))


def test_a_dataset_of_single_samples():
    size, planned, notes = inputs(8, dataset(X.astype("float32"), Y))
    assert (size, planned[0]) == (8, ("x", (8, 3), "float32"))
    assert "as if .batch() came last" in notes[0]


def test_a_dataset_of_full_batches_may_be_planned_for_others():
    full = dataset(X.astype("float32"), Y).batch(4, drop_remainder=True)
    assert inputs(None, full)[0] == 4
    assert inputs(64, full)[1][0] == ("x", (64, 3), "float32")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"x": np.zeros((5, 7))}, r"x with the shape \(None, 7\) for the input .* takes \(None, 3"),
        ({"x": np.float32(3)}, "x, a single value"),
        ({"x": np.array([[1, None, "a"]], object)}, "x with the dtype object"),
        ({"x": "text"}, "Received str. Expected what `fit` takes"),
        ({"x": (5, 7, 3, 3)}, "not clear whether it begins with the batch"),
        ({"x": X, "batch_size": 0}, "Received batch_size=0. Expected 1 or more"),
        ({"x": X, "batch_size": 1.5}, "Received batch_size=1.5. Expected a whole number"),
        ({"x": X, "replicas": 0}, "Received replicas=0"),
        ({"x": X, "strategy": "mirrored"}, "Expected a tf.distribute strategy"),
        ({"x": X, "jit_compile": "yes"}, "Received jit_compile='yes'"),
    ],
)
def test_wrong_data(given, message):
    with pytest.raises(UsageError, match=message):
        inputs(**given)


def test_labels_beside_a_stream():
    with pytest.raises(UsageError, match="y or sample_weight beside a _BatchDataset"):
        inputs(8, dataset(X, Y, batch_size=4), Y)


def test_a_pydataset_that_fails():
    import keras

    class Broken(keras.utils.PyDataset):
        def __len__(self):
            return 1

        def __getitem__(self, index):
            raise KeyError("no such file")

    with pytest.raises(UsageError, match="batch 0 raises KeyError: 'no such file'"):
        inputs(8, Broken())
