"""`fitguard.plan` as a whole: the answers it gives, and what it leaves alone."""

import keras
import numpy as np
import pytest
import tensorflow as tf

import fitguard
from fitguard.schema.exit_codes import UsageError

PARTS = ("weights", "optimizer", "gradients", "activations", "workspace", "input", "slack")


def dense(units=2048):
    """One sample takes some 25 KiB: batches of thousands do not fit small cards."""
    layers = [keras.Input((256,)), keras.layers.Dense(units), keras.layers.Dense(4)]
    model = keras.Sequential(layers)
    model.compile("adam", "mse", metrics=["mae"], jit_compile=False)
    return model


def plan(model, batch_size=64, **settings):
    given = {"jit_compile": False, "advice": False, **settings}
    return fitguard.plan(model, batch_size, **given)


@pytest.fixture(scope="module")
def fitting():
    return plan(dense(), gpu_memory="8GiB")


def test_the_variables_are_counted_to_the_byte():
    model = dense()
    found = plan(model).breakdown
    weights = sum(4 * np.prod(variable.shape, dtype=int) for variable in model.trainable_variables)
    assert weights <= found.weights < weights + 4096  # metrics, and rounding to 256 bytes
    assert 2 * weights <= found.optimizer < 2 * weights + 4096  # Adam has two slots


@pytest.mark.parametrize("jit_compile", [False, True])
def test_the_parts_add_up_and_the_ranges_are_in_order(jit_compile):
    found = plan(dense(), gpu_memory="8GiB", jit_compile=jit_compile)
    assert found.mode == ("xla" if jit_compile else "graph")
    assert sum(getattr(found.breakdown, part) for part in PARTS) == found.required_bytes.likely
    for span in (found.required_bytes, found.comfortable_bytes, found.process_bytes):
        assert 0 < span.low <= span.likely <= span.high
    assert found.required_bytes.likely <= found.comfortable_bytes.likely
    assert found.comfortable_bytes.high < found.process_bytes.high


def test_it_fits(fitting):
    assert fitting.fits is True
    assert fitting.micro_batch_size == fitting.batch_size == 64
    assert fitting.largest_batch_size > 10_000
    assert fitting.advice == ()


def test_the_largest_batch_fits_and_much_more_does_not(fitting):
    model = dense()
    assert plan(model, fitting.largest_batch_size, gpu_memory="8GiB").fits is True
    assert plan(model, 2 * fitting.largest_batch_size, gpu_memory="8GiB").fits is False


def test_it_does_not_fit_but_a_part_of_it_does():
    found = plan(dense(), 2**17, gpu_memory="3GiB")
    assert found.fits is False
    assert 0 < found.micro_batch_size <= found.largest_batch_size < 2**17
    assert 2**17 % found.micro_batch_size == 0  # parts of equal size


def test_parts_of_a_batch_that_alone_fills_the_card():
    """The batch takes 4 GiB: its parts must come one by one."""
    found = plan(dense(), 2**22, gpu_memory="3GiB")
    assert 0 < found.micro_batch_size < 2**17


def test_nothing_fits():
    found = plan(dense(200_000), gpu_memory="2GiB", free="600MiB")
    assert (found.fits, found.largest_batch_size, found.micro_batch_size) == (False, 0, None)


def test_not_sure_where_the_card_lies_inside_of_the_range(fitting):
    found = plan(dense(), fitting.largest_batch_size * 105 // 100, gpu_memory="8GiB")
    assert found.required_bytes.low < found.card.usable_bytes < found.required_bytes.high
    assert found.fits is None


def test_not_sure_where_something_is_unknown_that_nothing_bounds():
    class Searching(keras.layers.Layer):
        def call(self, values):
            return tf.while_loop(
                lambda found: tf.reduce_sum(found) < 1e9, lambda found: (found * 2,), [values]
            )[0]

    model = keras.Sequential([keras.Input((4,)), Searching(), keras.layers.Dense(1)])
    found = plan(model, gpu_memory="8GiB")
    assert found.unknown
    assert found.unknown[0].most_bytes is None
    assert (found.fits, found.largest_batch_size, found.micro_batch_size) == (None, None, None)


def test_without_a_card_nothing_is_said_about_fitting():
    found = plan(dense())
    assert found.card is None
    assert (found.fits, found.largest_batch_size, found.micro_batch_size) == (None, None, None)
    assert found.batch_bytes > 0


def test_each_gpu_gets_its_part():
    model = dense()
    alone, spread = plan(model, 8192), plan(model, 32768, replicas=4, gpu_memory="8GiB")
    assert spread.required_bytes == alone.required_bytes
    assert spread.batch_size == spread.micro_batch_size == 32768
    assert spread.largest_batch_size % 4 == 0
    assert spread.step.inputs[0][1] == (32768, 256)


def test_a_batch_that_cannot_be_spread_evenly():
    found = plan(dense(), 3, replicas=8, gpu_memory="8GiB")
    assert found.micro_batch_size == found.batch_size == 3


def test_what_was_assumed_is_told():
    model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(2, activation="softmax")])
    found = plan(model, None, gpu="RTX 3060")
    told = " ".join(found.assumptions)
    assert "32 was taken" in told
    assert "optimizer adam and the loss SparseCategoricalCrossentropy" in told
    assert "the smallest is assumed" in found.card.note
    page = found._repr_html_()
    assert "32 was taken" in page
    assert "the smallest is assumed" in page


def test_a_step_that_xla_cannot_compile_is_planned_without():
    class Outside(keras.layers.Layer):
        def call(self, values):
            given = tf.numpy_function(lambda array: 2 * array, [values], tf.float32)
            return tf.ensure_shape(given, values.shape)

    model = keras.Sequential([keras.Input((4,)), Outside(), keras.layers.Dense(1)])
    found = plan(model, jit_compile="auto")
    assert found.mode == "graph"
    assert found.step.mode_reason.startswith("XLA cannot compile this step")
    assert "PyFunc" in found.step.mode_reason


def test_the_model_is_left_bit_for_bit_as_it_was():
    model = dense()
    x, y = np.ones((8, 256), "float32"), np.ones((8, 4), "float32")
    model.fit(x, y, verbose=0)
    optimizer, values = model.optimizer, [one.numpy() for one in model.variables]
    slots = [one.numpy() for one in optimizer.variables]
    plan(model, 32, x=x, y=y, gpu_memory="1GiB", advice=True, loss="mae", optimizer="sgd")
    assert model.optimizer is optimizer
    assert model.loss == "mse"
    for now, before in zip(model.variables, values, strict=True):
        np.testing.assert_array_equal(now.numpy(), before)
    for now, before in zip(optimizer.variables, slots, strict=True):
        np.testing.assert_array_equal(now.numpy(), before)


def test_training_goes_on_as_if_nothing_had_been_planned():
    def trained(*, planned):
        keras.utils.set_random_seed(7)
        model = keras.Sequential([keras.layers.Dropout(0.5), keras.layers.Dense(3)])
        model.compile("adam", "mse", jit_compile=False)
        x, y = np.random.rand(16, 5), np.random.rand(16, 3)
        if planned:
            plan(model, 4, x=x, y=y)
        model.fit(x, y, batch_size=4, verbose=0)
        return model.get_weights()

    for one, other in zip(trained(planned=False), trained(planned=True), strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_notebook_shows_a_page(fitting):
    page = fitting._repr_html_()
    assert "Fits" in page
    assert "sequential" in page


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"batch_size": 0}, r"batch_size=0\. Expected 1 or more"),
        ({"batch_size": 2.5}, r"batch_size=2\.5\. Expected a whole number"),
        ({"replicas": 0}, r"replicas=0\. Expected 1 or more"),
        ({"gpu": "RTX 9999"}, "no GPU that fitguard knows"),
        ({"gpu_memory": "8GiB", "free": "9GiB"}, "Expected no more than the card has"),
        ({"jit_compile": "yes"}, "Expected True, False or 'auto'"),
        ({"optimizer": "adamm"}, "Expected the name of one of keras.optimizers"),
        ({"loss": "foo"}, "Expected the name of one of keras.losses"),
        ({"x": (None, 7)}, r"shape \(None, 7\) for the input"),
        ({"y": np.ones((8, 3))}, r"could not be traced: ValueError(.|\n)*train_on_batch"),
        ({"strategy": "mirrored"}, "Expected a tf.distribute strategy"),
    ],
)
def test_wrong_settings(settings, told):
    x = {"x": np.ones((8, 256))} if "y" in settings else {}
    with pytest.raises(UsageError, match=told):
        plan(dense(8), **x, **settings)


@pytest.mark.parametrize("given", [None, "model.keras", keras.layers.Dense(3), keras.Sequential])
def test_no_model(given):
    with pytest.raises(UsageError, match="Expected"):
        plan(given)
