"""What results are compared with is right: against Keras in float64, and against NumPy."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from probes.benches import open_bench

from fitguard.probes.target import arithmetic
from fitguard.probes.target.recurrent import GRU, LSTM, Case
from fitguard.probes.target.training import Training

CLOSE = 1e-12


def largest_difference(got: Any, expected: Any) -> float:
    return max(float(np.max(np.abs(one - other))) for one, other in zip(got, expected, strict=True))


def set_type(keras: Any, name: str) -> None:
    keras.backend.set_floatx(name)
    keras.mixed_precision.set_global_policy(name)


@pytest.mark.parametrize("kind", [LSTM, GRU])
def test_the_equations_of_recurrent_layers(tmp_path: Path, kind: str) -> None:
    with open_bench(tmp_path) as bench:
        tf, case = bench.tf, Case(bench, kind)
    layer = getattr(tf.keras.layers, kind)(case.units, return_sequences=True, dtype="float64")
    layer.build(case.sequences.shape)
    layer.set_weights(case.weights)
    sequences = tf.constant(case.sequences, "float64")
    with tf.GradientTape() as tape:
        tape.watch(sequences)
        outputs = layer(sequences, mask=tf.constant(case.mask)) * case.mask[:, :, None]
        total = tf.reduce_sum(outputs * case.output_weights.astype("float64"))
    expected = [outputs, *tape.gradient(total, [sequences, *layer.trainable_variables])]
    assert largest_difference(case.compute_reference(), expected) < CLOSE


def test_steps_of_training_by_hand(tmp_path: Path) -> None:
    with open_bench(tmp_path) as bench:
        keras, training = bench.tf.keras, Training(bench)
    set_type(keras, "float64")
    try:
        model = training.build_model(keras, jit_compile=False)
        model.fit(
            training.images.astype("float64"),
            training.labels,
            batch_size=training.batch,
            shuffle=False,
            verbose=0,
        )
    finally:
        set_type(keras, "float32")
    assert largest_difference(training.train_by_hand(), model.get_weights()) < CLOSE


def test_a_convolution_by_loops(tmp_path: Path) -> None:
    with open_bench(tmp_path) as bench:
        draw = arithmetic.draw_numbers(bench)
    images, kernel = draw.uniform(-1, 1, (2, 5, 4, 3)), draw.uniform(-1, 1, (3, 3, 3, 2))
    padded = np.pad(images, ((0, 0), (1, 1), (1, 1), (0, 0)))
    expected = np.zeros((2, 5, 4, 2))
    for row in range(3):
        for column in range(3):
            shifted = padded[:, row : row + 5, column : column + 4]
            expected += np.einsum("bhwc,cd->bhwd", shifted, kernel[row, column])
    got = bench.tf.nn.conv2d(images, kernel, strides=1, padding="SAME")
    assert largest_difference([got], [expected]) < CLOSE
