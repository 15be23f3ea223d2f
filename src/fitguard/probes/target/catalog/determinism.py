"""The same training step, again and again, gives the same bits.

## What is done
One training step (two convolutions, two dense layers, float32) is taken from the same weights with
the same data a thousand times, with deterministic operations. On the CPU it is taken 50 times.

## How it is judged
The new weights are the same bit for bit each time. The first that differs is told with its number.

## What a failure means
The device gives other bits for the same work. With deterministic operations there is no other
reason than an error: a GPU at its limit of heat, power or age, memory without ECC, or a kernel that
is not as deterministic as it is said to be. `fitguard probe --level long` tells them apart.
"""

from ..bench import Skip
from ..training import LEARNING_RATE, Training

NAME = "determinism"
LEVEL = "medium"
SECONDS = 15
LIMIT_SECONDS = 300
ENVIRONMENT = {"TF_DETERMINISTIC_OPS": "1"}

_FIRST_VERSION = (2, 1)


def run(bench):
    """Take the step, and compare with the first time."""
    _switch_on(bench.tf)
    step = _prepare_step(bench)
    count = 1000 if bench.on_gpu else 50
    try:
        first = bench.fetch(step())
    except bench.tf.errors.UnimplementedError as error:
        raise Skip("An operation is not deterministic here: %s" % str(error).split("\n")[0])
    for number in range(2, count + 1):
        what = "the result of step %d of %d, beside the first," % (number, count)
        bench.require_same(bench.fetch(step()), first, what)
        if number % 50 == 0:
            bench.progress(float(number) / count, "step %d" % number)
    return "%d times the same step gave the same %d bytes" % (count, first.nbytes)


def _switch_on(tf):
    """By call since TensorFlow 2.8; before that by the variable, which has been read by now."""
    switch = getattr(tf.config.experimental, "enable_op_determinism", None)
    if switch is not None:
        switch()
    elif tuple(int(part) for part in tf.__version__.split(".")[:2]) < _FIRST_VERSION:
        raise Skip("TensorFlow %s has no deterministic operations; 2.1 has" % tf.__version__)


def _prepare_step(bench):
    tf = bench.tf
    training = Training(bench, steps=1)
    with tf.device(bench.device):
        images, rows = training.show_batch(0, "float32")
        weights = [tf.constant(one) for one in training.weights]

        @tf.function
        def train():
            with tf.GradientTape() as tape:
                tape.watch(weights)
                loss = training.compute_loss(weights, images, rows)
            gradients = tape.gradient(loss, weights)
            moved = [w - LEARNING_RATE * g for w, g in zip(weights, gradients)]
            return tf.concat([tf.reshape(one, [-1]) for one in moved], axis=0)

    def step():
        with tf.device(bench.device):
            return train()

    return step
