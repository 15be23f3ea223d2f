import time

import numpy as np
import pytest
from checks.data.made_facts import facts_of, model_of
from checks.data.made_pipelines import source
from checks.data.tiny_training import only
from checks.data.whole_check import check_all

from fitguard.checks.framework.testing import run_data

LENGTHS = (10, 11, 12, 10, 11, 12)


def reader(jit_compile: bool | str):
    import keras

    keras.utils.set_random_seed(1)
    model = keras.Sequential(
        [
            keras.Input((None, 4), name="series"),
            keras.layers.Conv1D(8, 3, padding="same", activation="relu"),
            keras.layers.GlobalMaxPooling1D(),
            keras.layers.Dense(1, name="price"),
        ]
    )
    model.compile("sgd", "mse", jit_compile=jit_compile)
    return model


def batches(lengths):
    import tensorflow as tf

    chance = np.random.default_rng(7)

    def generate():
        for length in lengths:
            x = chance.normal(size=(4, length, 4)).astype("float32")
            yield x, x.mean(axis=(1, 2), keepdims=False)[:, np.newaxis]

    kinds = (tf.TensorSpec((4, None, 4)), tf.TensorSpec((4, 1)))
    return tf.data.Dataset.from_generator(generate, output_signature=kinds).prefetch(1)


def step_seconds(lengths) -> list[float]:
    """How long each step took, in time of the processor: others may be busy on the machine."""
    import keras

    taken: list[float] = []

    class Watch(keras.callbacks.Callback):
        def on_train_batch_begin(self, batch, logs=None):  # noqa: ARG002
            self.started = time.process_time()

        def on_train_batch_end(self, batch, logs=None):  # noqa: ARG002
            taken.append(time.process_time() - self.started)

    reader(True).fit(batches(lengths), verbose=0, callbacks=[Watch()])
    return taken


def test_each_new_length_is_compiled():
    taken = step_seconds(LENGTHS)
    new, known = taken[1:3], taken[3:]
    assert min(new) > 5 * max(known)
    padded = step_seconds([12] * 6)
    assert padded[0] > 5 * max(padded[1:])


def test_found():
    finding = only(check_all(reader(True), batches(LENGTHS)), "FG677")
    assert finding.severity == "warning"
    assert finding.title == (
        "6 batches came with samples of 3 shapes: XLA compiles the step for each"
    )
    assert finding.evidence[0].text == "(4, 10, 4), (4, 11, 4), (4, 12, 4)"
    assert "such as (12, 4)" in finding.fix.text


def test_one_length_is_fine():
    assert check_all(reader(True), batches([12] * 6)).findings == ()


def test_without_a_gpu_it_is_only_worth_knowing():
    finding = only(check_all(reader("auto"), batches(LENGTHS)), "FG677")
    assert finding.severity == "info"


@pytest.mark.parametrize(
    ("shapes", "count"),
    [
        (((32, 4), (7, 4)), 0),
        (((32, 4), (31, 4), (7, 4)), 1),
        (((32, 4), (32, 5)), 1),
        ((), 0),
    ],
)
def test_a_smaller_last_batch_is_usual(shapes, count):
    facts = facts_of(model=model_of(jit_compile=True), sources=(source(batch_shapes=shapes),))
    assert len(run_data("FG677", facts).findings) == count


def test_silent_where_xla_is_off():
    shapes = ((32, 4), (32, 5))
    facts = facts_of(model=model_of(jit_compile=False), sources=(source(batch_shapes=shapes),))
    assert run_data("FG677", facts).findings == ()


def test_skipped_where_xla_is_not_known():
    assert run_data("FG677", facts_of(sources=(source(),))).skipped


def test_a_few_lengths_that_come_again_are_fine():
    model = reader("auto")
    assert only(check_all(model, batches([10, 11] * 3)), "FG677")
    assert check_all(model, batches([10, 11] * 4)).findings == ()


def test_eight_shapes_may_be_more():
    shapes = tuple((32, length) for length in range(10, 18))
    known = source(batch_shapes=shapes, batches_seen=1000)
    facts = facts_of(model=model_of(jit_compile=True), sources=(known,))
    assert "8 shapes or more" in run_data("FG677", facts).findings[0].title
