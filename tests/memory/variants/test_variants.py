"""Other versions of a training: what changes, what does not, and what cannot be made."""

import numpy as np
import pytest
from memory.small_models import (
    LIBRARIES,
    MODELS,
    convolutional,
    count,
    nested,
    recurrent,
    sequential,
    traced,
    training,
)

from fitguard.memory.training import Training
from fitguard.memory.variants import (
    with_input_size,
    with_jit,
    with_optimizer,
    with_policy,
)
from fitguard.memory.variants.optimizer import count_gradient_bytes, state_bytes

both = pytest.mark.parametrize("library", LIBRARIES.values(), ids=LIBRARIES)
every = pytest.mark.parametrize("build", MODELS.values(), ids=MODELS)


@both
@every
def test_mixed_precision_of_any_model(library, build):
    given = training(build(library), library)
    before = [weight.copy() for weight in given.model.get_weights()]
    variant = with_policy(given, "mixed_float16")
    assert variant.reason == ""
    twin = variant.training.model
    assert twin.dtype_policy.name == "mixed_float16"
    assert "LossScale" in type(twin.optimizer).__name__
    assert {layer.compute_dtype for layer in twin.layers if layer.weights} == {"float16"}
    assert given.model.dtype_policy.name == "float32"
    assert {layer.compute_dtype for layer in given.model.layers if layer.weights} == {"float32"}
    assert library.mixed_precision.global_policy().name == "float32"
    for one, other in zip(before, given.model.get_weights(), strict=True):
        np.testing.assert_array_equal(one, other)


@both
def test_versions_can_be_traced(library):
    given = training(sequential(library), library)
    halved, other = with_policy(given, "mixed_float16"), with_optimizer(given, "sgd")
    made = [out for one in traced(halved.training) for out in one.outputs]
    assert sum(out.dtype.name == "float16" for out in made) > 10
    assert count(traced(other.training), "Sqrt") < count(traced(given), "Sqrt")


@both
def test_mixed_precision_keeps_what_is_not_float32(library):
    layers = library.layers
    model = library.Sequential(
        [library.Input((4,)), layers.Dense(4, dtype="float64"), layers.Dense(10)]
    )
    twin = with_policy(training(model, library), "mixed_bfloat16").training.model
    assert [layer.compute_dtype for layer in twin.layers] == ["float64", "bfloat16"]


@both
@pytest.mark.parametrize("build", [sequential, nested], ids=["plain", "nested"])
def test_another_optimizer(library, build):
    given = training(build(library), library)
    variant = with_optimizer(given, "sgd")
    twin = variant.training.model
    assert (type(twin.optimizer).__name__, twin.optimizer.momentum) == ("SGD", 0.9)
    assert type(given.model.optimizer).__name__ == "Adam"
    assert [tuple(weight.shape) for weight in twin.trainable_variables] == [
        tuple(weight.shape) for weight in given.model.trainable_variables
    ]
    assert twin.metrics_names == given.model.metrics_names


@both
def test_an_optimizer_that_is_none(library):
    variant = with_optimizer(training(sequential(library), library), "sofia")
    assert variant.training is None
    assert variant.reason.endswith("has no sofia")


@both
def test_state_of_optimizers(library):
    given = training(sequential(library), library)
    weights = count_gradient_bytes(given.model)
    assert weights == 4 * given.model.count_params()
    scalars = 64
    assert 2 * weights < state_bytes(given) < 2 * weights + scalars
    assert weights < state_bytes(given, "sgd") < weights + scalars
    assert state_bytes(given, "lion") == pytest.approx(state_bytes(given, "sgd"), abs=scalars)
    assert state_bytes(given, "adafactor") > weights


@both
def test_state_of_an_optimizer_that_is_not_built(library):
    model = sequential(library)
    model.compile(optimizer="adam", loss="mse")
    given = Training(model=model, data=(), jit_compile=False)
    assert state_bytes(given) > 2 * count_gradient_bytes(model)
    assert len(list(model.optimizer.variables)) < 4 if library.__name__ == "keras" else True


@both
@pytest.mark.parametrize("build", [convolutional, nested], ids=["plain", "nested"])
def test_smaller_images(library, build):
    given = training(build(library), library)
    variant = with_input_size(given, 0.7)
    if build is nested and library.__name__ == "tf_keras":
        assert variant.training is None
        assert variant.reason == "a nested model is made for one size of images"
        return
    image, label = variant.training.data
    assert (tuple(image.shape), tuple(label.shape)) == ((None, 12, 12, 3), (None,))
    assert tuple(given.data[0].shape) == (None, 16, 16, 3)
    [convolution, *_] = [one for one in traced(variant.training) if one.type == "Conv2D"]
    assert tuple(convolution.outputs[0].shape) == (3, 12, 12, 4)


@both
def test_smaller_images_take_smaller_targets(library):
    layers = library.layers
    image = library.Input((64, 64, 3))
    value = layers.Conv2D(4, 3, strides=2, padding="same")(image)
    model = library.Model(image, layers.Conv2DTranspose(10, 3, strides=2, padding="same")(value))
    plain = training(model, library)
    import tensorflow as tf

    for axes, after in (((64, 64), (48, 48)), ((64, 64, 1), (48, 48, 1))):
        given = Training(
            model=plain.model,
            data=(plain.data[0], tf.TensorSpec((None, *axes), tf.int32)),
            jit_compile=False,
        )
        shrunk = with_input_size(given, 0.75).training
        assert tuple(shrunk.data[1].shape) == (None, *after)


@pytest.mark.parametrize(
    ("build", "reason"),
    [
        (sequential, "the size of its weights depends on the size of the input"),
        (recurrent, "the model does not take images of one size"),
    ],
    ids=["flattened", "text"],
)
def test_what_cannot_take_smaller_images(build, reason):
    variant = with_input_size(training(build(LIBRARIES["keras"])), 0.5)
    assert (variant.training, variant.reason) == (None, reason)


def test_a_function_of_the_users_has_no_other_version():
    given = Training(model=None, data=(), jit_compile=False, step=lambda: None)
    variant = with_policy(given, "mixed_float16")
    assert variant.reason == "the training step is a function of its own"


def test_the_other_mode():
    given = Training(model=object(), data=(), jit_compile=False)
    assert with_jit(given, True) == Training(model=given.model, data=(), jit_compile=True)


@both
def test_a_class_of_the_users_with_a_step_of_its_own(library):
    class Own(library.Model):
        def train_step(self, data):
            return {"own": super().train_step(data)["loss"]}

    inside = sequential(library)
    given = training(Own(inside.inputs[0], inside.outputs[0]), library)
    variant = with_policy(given, "mixed_float16")
    assert type(variant.training.model) is Own
    assert traced(variant.training)


@both
def test_a_subclassed_model_that_tells_its_configuration(library):
    class Subclassed(library.Model):
        def __init__(self, width, **settings):
            super().__init__(**settings)
            self.width = width
            self.first = library.layers.Dense(width)
            self.last = library.layers.Dense(10, activation="softmax")

        def call(self, value):
            return self.last(self.first(value))

        def get_config(self):
            return {"width": self.width}

    model = Subclassed(8)
    model(np.zeros((2, 5), "float32"))
    model.compile(optimizer="adam", loss="sparse_categorical_crossentropy")
    import tensorflow as tf

    data = (tf.TensorSpec((None, 5), tf.float32), tf.TensorSpec((None,), tf.int32))
    variant = with_policy(Training(model=model, data=data, jit_compile=False), "mixed_float16")
    assert type(variant.training.model) is Subclassed
    assert variant.training.model.first.compute_dtype == "float16"
    assert traced(variant.training)


@both
def test_why_a_model_cannot_be_made_again(library):
    class Secret(library.layers.Layer):
        def __init__(self, factor):
            super().__init__()
            self.factor = factor

        def call(self, value):
            return value * self.factor

        def get_config(self):
            raise NotImplementedError("Secret has no get_config")

    model = library.Sequential([library.Input((4,)), Secret(2.0), library.layers.Dense(10)])
    variant = with_policy(training(model, library), "mixed_float16")
    assert variant.training is None
    assert variant.reason.startswith("the model could not be built a second time (NotImplemented")
    assert "Secret has no get_config" in variant.reason


@both
def test_a_compile_of_its_own_is_named(library):
    class Adversarial(library.Model):
        def compile(self, first, second):
            super().compile(optimizer=first, loss="mse")
            self.second = second

    inside = sequential(library)
    model = Adversarial(inside.inputs[0], inside.outputs[0])
    model.compile("adam", "sgd")
    variant = with_optimizer(Training(model=model, data=(), jit_compile=False), "sgd")
    assert variant.reason == "the model has a compile() of its own"


@both
def test_metrics_of_the_user_are_not_shared(library):
    model = sequential(library)
    metric = library.metrics.SparseCategoricalAccuracy(name="mine")
    model.compile(optimizer="adam", loss="sparse_categorical_crossentropy", metrics=[metric])
    given = Training(model=model, data=training(sequential(library), library).data,
                     jit_compile=False)  # fmt: skip
    variant = with_optimizer(given, "sgd")
    traced(variant.training)
    owned = {id(one) for one in variant.training.model.variables}
    owned |= {id(one) for part in variant.training.model.metrics for one in part.variables}
    assert owned.isdisjoint(id(one) for one in metric.variables)
