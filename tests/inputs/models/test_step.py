"""What `compile` set, whose step it is, weights and batches."""

import subprocess
import sys

import pytest
from inputs.models import zoo

from fitguard.inputs.models import describe


def small(library, *layers):
    return library.Sequential([library.Input((4,)), *layers, library.layers.Dense(2)])


def test_the_whole_of_a_plain_model(library):
    model = small(library, library.layers.Dense(3))
    model.layers[0].trainable = False
    model.compile(library.optimizers.Adam(), "mse")
    facts = describe(model)
    assert facts.library == f"{library.__name__} {library.__version__}"
    assert (facts.kind, facts.built, facts.compiled, facts.optimizer) == (
        *("sequential", True, True, "Adam"),
    )
    assert (facts.weights, facts.trainable_weights, facts.weights_bytes) == (23, 8, 92)
    assert (facts.compute_dtype, facts.custom_step, facts.replicas) == ("float32", False, 1)


def test_a_model_that_is_not_ready(library):
    facts = describe(library.Sequential([library.layers.Dense(3)]))
    assert (facts.built, facts.compiled, facts.optimizer) == (False, False, None)
    assert (facts.weights, facts.trainable_weights, facts.weights_bytes) == (None, None, None)
    assert facts.jit_compile is None


def test_kinds(library):
    x = library.Input((4,))

    class Own(library.Model):
        pass

    assert describe(library.Model(x, library.layers.Dense(1)(x))).kind == "functional"
    assert describe(Own(x, library.layers.Dense(1)(x))).kind == "functional"
    assert describe(zoo.own_model(library)).kind == "subclassed"


def test_mixed_precision_counts_by_what_layers_got(library):
    model = small(library, library.layers.Dense(3, dtype="mixed_float16"))
    model.compile("sgd", "mse")
    assert describe(model).compute_dtype == "float16"
    library.mixed_precision.set_global_policy("mixed_float16")
    try:
        assert describe(small(library)).compute_dtype == "float16"
        assert describe(zoo.own_model(library)).compute_dtype == "float16"
        scaled = small(library)
        scaled.compile("adam", "mse")
        assert describe(scaled).optimizer == "Adam"
        library.mixed_precision.set_global_policy("mixed_bfloat16")
        wide = small(library)
    finally:
        library.mixed_precision.set_global_policy("float32")
    assert describe(wide).compute_dtype == "bfloat16"


def test_steps_of_the_users_own(library):
    facts = describe(zoo.gan(library))
    assert (facts.custom_step, facts.compiled, facts.kind) == (True, True, "subclassed")
    assert facts.custom_batches

    class OwnLoss(library.Model):
        def compute_loss(self, *args, **kwargs):
            return super().compute_loss(*args, **kwargs)

    x = library.Input((4,))
    facts = describe(OwnLoss(x, library.layers.Dense(1)(x)))
    assert (facts.custom_step, facts.custom_batches) == (True, False)
    assert not describe(zoo.own_model(library)).custom_step


def test_layers_that_add_a_loss(library):
    class Penalty(library.layers.Layer):
        def call(self, x):
            import tensorflow as tf

            self.add_loss(tf.reduce_mean(x))
            return x

    assert describe(small(library, Penalty())).adds_loss
    assert not describe(small(library)).adds_loss


def test_a_loss_added_to_the_graph(keras2):
    x = keras2.Input((4,))
    model = keras2.Model(x, keras2.layers.Dense(2)(x))
    model.add_loss(model.output)
    assert describe(model).adds_loss


def test_xla_as_keras_3_settles_it_on_a_gpu(keras3):
    def answer(model, **settings):
        model.compile("sgd", "mse", **settings)
        return describe(model).jit_compile

    assert answer(small(keras3)) is True
    assert answer(small(keras3), jit_compile=True) is True
    assert answer(small(keras3), run_eagerly=True) is False
    # cuDNN's operations cannot be compiled: Keras turns XLA off for them.
    assert answer(zoo.text_classifier(keras3)) is False
    assert answer(zoo.text_classifier(keras3, use_cudnn=False)) is False

    unable = small(keras3)
    unable.layers[0].supports_jit = False
    assert answer(unable) is False


def test_xla_in_tf_keras_is_off_unless_asked_for(keras2):
    model = small(keras2)
    model.compile("sgd", "mse")
    assert describe(model).jit_compile is False
    model.compile("sgd", "mse", jit_compile=True)
    assert describe(model).jit_compile is True


TWO_REPLICAS = """
import keras, tensorflow as tf, tf_keras
from fitguard.inputs.models import describe

devices = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(devices[0], [tf.config.LogicalDeviceConfiguration()] * 2)
for library in keras, tf_keras:
    with tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]).scope():
        model = library.Sequential([library.Input((2,)), library.layers.Dense(1)])
        model.compile("sgd", "mse")
    facts = describe(model)
    print(facts.replicas, facts.jit_compile)
"""


def test_replicas_of_a_strategy():
    # Logical devices can be made only before TensorFlow has started.
    command = [sys.executable, "-c", TWO_REPLICAS]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["2 False", "2 False"]


def test_a_stateful_layer_binds_the_batch(library):
    x = library.Input(batch_shape=(4, 5, 3))
    memory = library.layers.LSTM(2, stateful=True, name="memory")
    facts = describe(library.Model(x, memory(x)))
    assert (facts.batch_axis, facts.batch_bound) == (4, "memory")


def test_an_input_of_fixed_batch_size_binds_nothing(library):
    import numpy as np

    x = library.Input(batch_shape=(4, 3))
    model = library.Model(x, library.layers.Dense(1)(x))
    model.compile("sgd", "mse")
    model.fit(np.ones((5, 3), "float32"), np.ones((5, 1), "float32"), batch_size=5, verbose=0)
    facts = describe(model)
    assert (facts.batch_axis, facts.batch_bound) == (None, None)
    assert facts.inputs[0].shape == (4, 3)


def test_layers_that_look_across_the_batch(library):
    layers = library.layers
    norms = [layers.BatchNormalization(name=name) for name in ("live", "frozen")]
    norms[1].trainable = False
    facts = describe(small(library, *norms))
    assert facts.batch_statistics == ("live",)
    assert facts.flat_statistics == ("live",)


def test_layers_with_a_batch_inside_subclassed_models(library):
    class Own(library.Model):
        def __init__(self):
            super().__init__()
            self.norm = library.layers.BatchNormalization(name="inside")

        def call(self, x):
            return self.norm(x)

    assert describe(Own()).batch_statistics == ("inside",)


@pytest.mark.parametrize("settings", [{}, {"jit_compile": True}], ids=["default", "jit"])
def test_global_eager_functions_turn_xla_off(keras3, settings):
    import tensorflow as tf

    model = small(keras3)
    model.compile("sgd", "mse", **settings)
    tf.config.run_functions_eagerly(True)
    try:
        assert describe(model).jit_compile is False
    finally:
        tf.config.run_functions_eagerly(False)
