"""Models of all kinds, on the way to a step that can be traced."""

import importlib

import numpy as np
import pytest
from inputs.models import zoo

from fitguard.memory.preparation import prepare
from fitguard.schema.exit_codes import UsageError


@pytest.fixture(params=["keras", "tf_keras"])
def library(request):
    return importlib.import_module(request.param)


def planned(model, *args, **kwargs):
    """Trace the step, as a plan does."""
    import tensorflow as tf

    with prepare(model, *args, **kwargs) as prepared:
        training = prepared.training
        step = training.step or (lambda *data: model.train_step(data[0]))
        specs = training.specs(7)
        tf.function(step).get_concrete_function(*(specs if training.step else (specs,)))
    return prepared


def inputs(*args):
    """Without a trace of the step."""
    with prepare(*args) as prepared:
        return prepared.step.inputs


def plain(library, **settings):
    layers = [library.layers.Input((4,)), library.layers.Dense(3, **settings)]
    return library.Sequential(layers)


def test_a_model_that_is_not_compiled(library):
    prepared = planned(plain(library, activation="softmax"), 64)
    step = prepared.step
    assert (step.optimizer, step.loss) == ("Adam", "sparse_categorical_crossentropy")
    assert step.inputs == (("x", (64, 4), "float32"), ("y", (64,), "int32"))
    assert (step.parameters, step.policy, prepared.batch_size) == (15, "float32", 64)
    [note] = prepared.notes
    assert "the optimizer adam and the loss SparseCategoricalCrossentropy" in note


@pytest.mark.parametrize(
    ("activation", "labels", "loss"),
    [
        ("sigmoid", None, "binary_crossentropy"),
        (None, None, "mean_squared_error"),
        (None, np.zeros(9, "int64"), "sparse_categorical_crossentropy"),
        ("softmax", np.zeros((9, 3), "float32"), "categorical_crossentropy"),
    ],
)
def test_the_loss_fits_output_and_labels(library, activation, labels, loss):
    assert planned(plain(library, activation=activation), 8, None, labels).step.loss == loss


def test_optimizer_and_loss_of_the_users_choice(library):
    model = plain(library)
    model.compile("sgd", "mse")
    step = planned(model, 8).step
    assert (step.optimizer, step.loss) == ("SGD", "mean_squared_error")
    step = planned(model, 8, optimizer="adam").step
    assert (step.optimizer, step.loss) == ("Adam", "mean_squared_error")
    momentum = library.optimizers.SGD(momentum=0.9)
    step = planned(model, 8, optimizer=momentum, loss="sparse_categorical_crossentropy").step
    assert (step.optimizer, step.inputs[1][1]) == ("SGD", (8,))
    assert not getattr(momentum, "built", False)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"optimizer": "adamm"}, "Received optimizer='adamm'. Expected the name of one of"),
        ({"loss": "msee"}, "Received loss='msee'. Expected the name of one of"),
    ],
)
def test_names_that_keras_does_not_know(library, given, message):
    with pytest.raises(UsageError, match=message):
        planned(plain(library), 8, **given)


def test_several_inputs_and_outputs(library):
    losses = {"price": "mse", "sort": "sparse_categorical_crossentropy"}
    model = zoo.two_by_two(library, "dict")
    model.compile("sgd", losses)
    step = planned(model, 8).step
    assert [name for name, *_ in step.inputs] == [
        *("x['city']", "x['image']", "y['price']", "y['sort']"),
    ]
    assert step.inputs[-1] == ("y['sort']", (8,), "int32")
    assert "sort: sparse_categorical_crossentropy" in step.loss

    model = zoo.two_by_two(library, "list")
    model.compile("sgd", ["mse", None])
    assert len(planned(model, 8).step.inputs) == 4
    assert planned(zoo.two_by_two(library, "list"), 8).step.loss.startswith("price_head: mean")


def test_axes_of_unknown_length(library):
    text = zoo.text_classifier(library)
    with pytest.raises(UsageError, match=r"x with the shape \(None, None\): axis 1 is open"):
        inputs(text, 8)
    assert inputs(text, 8, (None, 6))[0] == ("x", (8, 6), "int32")
    with pytest.raises(UsageError, match=r"axes \[1, 2\] are open.*\(None, 128, 128, 1\)"):
        inputs(zoo.u_net(library), 8)
    assert inputs(zoo.u_net(library), 8, (None, 16, 16, 1))[1] == ("y", (8, 16, 16), "int32")


def test_models_that_are_not_built(library):
    with pytest.raises(UsageError, match="does not know the shape of its input"):
        planned(zoo.own_model(library), 8)
    own = zoo.own_model(library)
    assert planned(own, 8, (None, 5)).step.parameters == 26

    class Picky(library.Model):
        def call(self, x):
            raise KeyError(x.name)

    with pytest.raises(UsageError, match=r"Picky that cannot be called with float32\(None, 5\)"):
        planned(Picky(), 8, (None, 5))


def test_a_subclassed_model_knows_what_it_was_built_for(library):
    own = zoo.own_model(library)
    own(np.zeros((2, 5), "float32"))
    assert planned(own, 8).step.inputs[0] == ("x", (8, 5), "float32")


def test_a_custom_loss(library):
    def distance(y_true, y_pred):
        return abs(y_true - y_pred)

    model = plain(library)
    model.compile("sgd", distance)
    prepared = planned(model, 8)
    assert prepared.step.inputs[1] == ("y", (8, 3), "float32")
    assert "distance of dense" in prepared.notes[-1]


def test_a_step_of_the_users_own_gets_what_was_given(library):
    import tensorflow as tf

    class Triplets(library.Model):
        def train_step(self, data):
            anchor, like, unlike = data
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(self(anchor) * self(like) - self(unlike))
            gradients = tape.gradient(loss, self.trainable_weights)
            self.optimizer.apply_gradients(zip(gradients, self.trainable_weights, strict=True))
            return {"loss": loss}

    x = library.Input((4,))
    model = Triplets(x, library.layers.Dense(2)(x))
    model.compile("adam")
    part = np.zeros((20, 4), "float32")
    triplets = tf.data.Dataset.from_tensor_slices((part, part, part)).batch(5)
    prepared = planned(model, None, triplets)
    assert (prepared.batch_size, prepared.step.loss) == (5, "")
    assert [shape for _, shape, _ in prepared.step.inputs] == [(5, 4)] * 3


def test_losses_that_layers_add(library):
    class Penalty(library.layers.Layer):
        def call(self, x):
            import tensorflow as tf

            self.add_loss(tf.reduce_mean(x))
            return x

    x = library.Input((4,))
    model = library.Model(x, Penalty()(library.layers.Dense(2)(x)))
    model.compile("sgd")
    assert planned(model, 8).step.inputs == (("x", (8, 4), "float32"),)


def test_compiled_without_a_loss(library):
    model = plain(library)
    model.compile("sgd")
    with pytest.raises(UsageError, match="compiled without a loss"):
        planned(model, 8)
    assert planned(model, 8, loss="mse").step.loss == "mean_squared_error"


def test_a_compile_of_the_users_own(library):
    model = zoo.gan(library)
    with pytest.raises(UsageError, match="has a `compile` of its own"):
        planned(model, 8, (None, 2), optimizer="sgd")


def test_a_stateful_layer_binds_the_batch(library):
    x = library.Input(batch_shape=(4, 5, 3))
    model = library.Model(x, library.layers.LSTM(2, stateful=True)(x))
    model.compile("sgd", "mse")
    prepared = planned(model)
    assert (prepared.batch_size, prepared.training.only_batch_size) == (4, 4)
    with pytest.raises(UsageError, match="made for batches of 4"):
        planned(model, 8)


def test_replicas_share_the_batch(library):
    import tensorflow as tf

    model = plain(library)
    model.compile("sgd", "mse")
    prepared = planned(model, 10, replicas=4)
    assert (prepared.step.replicas, prepared.replica_batch_size) == (4, 3)
    assert not prepared.training.jit_compile
    alone = planned(model, 10, strategy=tf.distribute.get_strategy())
    assert alone.training.replicas == 1


def test_mixed_precision(library):
    library.mixed_precision.set_global_policy("mixed_float16")
    try:
        model = plain(library)
        prepared = planned(model, 8)
    finally:
        library.mixed_precision.set_global_policy("float32")
    assert (prepared.step.policy, prepared.step.optimizer) == ("mixed_float16", "Adam")


@pytest.mark.parametrize("given", [None, "model.keras", [1], dict])
def test_what_is_no_model(given):
    with pytest.raises(UsageError, match="Expected a model of Keras 3"):
        planned(given, 8)


def test_inside_of_a_function(library):
    import tensorflow as tf

    model = plain(library)

    @tf.function
    def inside():
        with prepare(model, 8):
            pass

    with pytest.raises(UsageError, match=r"a call of plan inside of a tf.function"):
        inside()
