"""A small training: with Keras on a device, and by hand in float64 on the CPU."""

import inspect

from . import arithmetic
from .bench import Skip

_MOMENTUM = 0.875
LEARNING_RATE = 0.125
_CLASSES = 8
_ROUNDINGS = 3 * 2 * 4
"""Of a step: sum, bias and activation, forward and backward, in each of four layers."""


def open_keras(bench):
    """`tf.keras`, of whatever version.

    Raises:
        Skip: where it computes with something other than TensorFlow.
    """
    keras = bench.tf.keras
    config = getattr(keras, "config", None)
    backend = config.backend() if config is not None else "tensorflow"
    if backend != "tensorflow":
        raise Skip("Keras computes with %s here. Expected the backend tensorflow" % backend)
    return keras


def can_compile(keras):
    """Whether `Model.compile` can be told about XLA."""
    read = getattr(inspect, "signature", None)
    if read is None:  # Python 2.7
        return "jit_compile" in inspect.getargspec(keras.Model.compile).args
    return "jit_compile" in read(keras.Model.compile).parameters


class Training(object):
    """Images, labels, and a small network with the weights that it begins with.

    All its functions are smooth: nothing that rounding could tip over, as a ReLU at 0.
    """

    def __init__(self, bench, steps=4):
        self.tf, self.np, self.steps = bench.tf, bench.np, steps
        sizes = (32, 16, 32, 128) if bench.on_gpu else (8, 8, 8, 8)
        self.batch, self.side, self.channels, self.dense = sizes
        channels, dense = self.channels, self.dense
        draw = arithmetic.draw_numbers(bench)
        count = self.batch * steps
        self.images = arithmetic.draw_array(draw, (count, self.side, self.side, channels), 1.0)
        self.labels = draw.randint(0, _CLASSES, count).astype("int32")
        flat = (self.side // 2) ** 2 * channels
        shapes = (3, 3, channels, channels), (3, 3, channels, channels), (flat, dense)
        self.weights = []
        for shape in shapes + ((dense, _CLASSES),):
            terms = int(self.np.prod(shape[:-1]))
            self.weights.append(arithmetic.draw_array(draw, shape, (3.0 / terms) ** 0.5))
            self.weights.append(arithmetic.draw_array(draw, shape[-1:], 0.1))

    def build_model(self, keras, **arguments):
        """A model with these weights, compiled.

        Args:
            arguments: For `compile`.
        """
        layers = keras.layers
        images = keras.Input((self.side, self.side, self.channels))
        found = layers.Conv2D(self.channels, 3, padding="same", activation="tanh")(images)
        found = layers.AveragePooling2D(2)(found)
        found = layers.Conv2D(self.channels, 3, padding="same", activation="tanh")(found)
        found = layers.Flatten()(found)
        found = layers.Dense(self.dense, activation="tanh")(found)
        # As Keras advises for mixed precision: the loss is computed in full precision.
        logits = layers.Dense(_CLASSES, dtype=keras.backend.floatx())(found)
        model = keras.Model(images, logits)
        model.set_weights(self.weights)
        optimizer = keras.optimizers.SGD(learning_rate=LEARNING_RATE, momentum=_MOMENTUM)
        loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        model.compile(optimizer=optimizer, loss=loss, **arguments)
        return model

    def fit(self, bench, keras, **arguments):
        """Train on the device. Gives the weights after it.

        Args:
            arguments: For `compile`.
        """
        with self.tf.device(bench.device):
            model = self.build_model(keras, **arguments)
            model.fit(
                self.images, self.labels, batch_size=self.batch, epochs=1, shuffle=False, verbose=0
            )
        return [bench.fetch(one) for one in model.get_weights()]

    def show_batch(self, step, dtype):
        """Its images, and for each image a row with 1 at its label."""
        part = slice(step * self.batch, (step + 1) * self.batch)
        rows = self.np.eye(_CLASSES)[self.labels[part]]
        return [self.tf.constant(one, dtype) for one in (self.images[part], rows)]

    def compute_loss(self, weights, images, rows):
        """The mean loss of a batch of `show_batch`, in any type, without Keras."""
        tf = self.tf
        found = images
        for number in (0, 2):
            found = tf.nn.conv2d(found, weights[number], strides=1, padding="SAME")
            found = tf.tanh(found + weights[number + 1])
            if number == 0:
                found = tf.nn.avg_pool2d(found, 2, 2, "VALID")
        found = tf.reshape(found, (self.batch, -1))
        found = tf.tanh(tf.matmul(found, weights[4]) + weights[5])
        logits = tf.matmul(found, weights[6]) + weights[7]
        # Of simple operations: all of them can be deterministic.
        return -tf.reduce_sum(rows * tf.nn.log_softmax(logits)) / self.batch

    def train_by_hand(self):
        """The weights after all steps, in float64 on the CPU."""
        tf, np = self.tf, self.np
        weights = [one.astype("float64") for one in self.weights]
        speeds = [np.zeros_like(one) for one in weights]
        for step in range(self.steps):
            with tf.device("/CPU:0"), tf.GradientTape() as tape:
                sources = [tf.constant(one) for one in weights]
                tape.watch(sources)
                loss = self.compute_loss(sources, *self.show_batch(step, "float64"))
            gradients = [np.array(one) for one in tape.gradient(loss, sources)]
            speeds = [_MOMENTUM * v - LEARNING_RATE * g for v, g in zip(speeds, gradients)]
            weights = [w + v for w, v in zip(weights, speeds)]
        return weights

    def check_fit(self, bench, keras, kind, **arguments):
        """Train on the device and by hand, and compare how far each array of weights has moved.

        Args:
            kind: A key of `arithmetic.ROUNDING`: what the device computes in.
            arguments: For `compile`.

        Returns:
            A sentence.
        """
        trained = self.fit(bench, keras, **arguments)
        rows = []
        for number, end in enumerate(self.train_by_hand()):
            begin = self.weights[number]
            moved = trained[number].astype("float64") - begin
            bound = self._bound_change(kind, begin, end - begin)
            rows.append(("the change of weight array %d" % number, moved, end - begin, bound))
        error = arithmetic.require_all_close(bench, rows)
        count = "1 step" if self.steps == 1 else "%d steps" % self.steps
        return "Weights after %s of fit with batches of %d: %s" % (count, self.batch, error)

    def _bound_change(self, kind, begin, change):
        """That of its sums, and the rounding of weights that are larger than their change."""
        np = self.np
        roundings = _ROUNDINGS * self.steps
        bound = arithmetic.bound_sum(kind, self.batch * self.side**2, roundings**0.5)
        larger = np.max(np.abs(begin)) / np.max(np.abs(change))
        return bound + arithmetic.ROUNDING["float32"] * larger * self.steps**0.5
