"""What several GPUs need to sum gradients: planned, and measured with logical devices."""

import os
import subprocess
import sys

import keras
import pytest

from fitguard import plan

WIDTH, LAYERS, ROWS = 1000, 10, 8
STATE_BYTES = 2 * LAYERS * WIDTH * WIDTH * 4
"""Weights and momentum."""

MEASURE = """
import numpy as np, tensorflow as tf, keras, sys
replicas, width, layers, rows = map(int, sys.argv[1:])
(cpu,) = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * replicas)
strategy = tf.distribute.MirroredStrategy([f"CPU:{number}" for number in range(replicas)])
with strategy.scope():
    dense = [keras.layers.Dense(width, use_bias=False) for _ in range(layers)]
    model = keras.Sequential([keras.Input((width,)), *dense])
    model.compile(keras.optimizers.SGD(0.01, momentum=0.9), "mse")
x = np.ones((rows * replicas * 3, width), "float32")
model.fit(x, x, batch_size=rows * replicas, verbose=0)
# The allocator of the CPU is one for all logical devices.
print(tf.config.experimental.get_memory_info("CPU:0")["peak"] // replicas)
"""


def new_model():
    dense = [keras.layers.Dense(WIDTH, use_bias=False) for _ in range(LAYERS)]
    model = keras.Sequential([keras.Input((WIDTH,)), *dense])
    model.compile(keras.optimizers.SGD(0.01, momentum=0.9), "mse")
    return model


def test_several_gpus_need_more_than_one_for_large_weights_and_no_more_for_large_batches():
    model = new_model()
    one = plan(model, batch_size=ROWS, jit_compile=False, advice=False)
    two = plan(model, batch_size=2 * ROWS, replicas=2, jit_compile=False, advice=False)
    assert two.required_bytes.likely >= 2.5 * STATE_BYTES > one.required_bytes.likely
    assert two.breakdown.gradients == 3 * STATE_BYTES // 2
    assert any("NCCL" in reason for reason in two.reasons)
    assert not any("NCCL" in reason for reason in one.reasons)
    large = [
        plan(model, batch_size=rows, replicas=n, jit_compile=False, advice=False).required_bytes
        for rows, n in ((50_000, 1), (100_000, 2))
    ]
    assert large[0].likely == large[1].likely


@pytest.mark.soak
@pytest.mark.parametrize("replicas", [2, 4])
def test_as_measured(replicas):
    words = [str(number) for number in (replicas, WIDTH, LAYERS, ROWS)]
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, *words],
        env={**os.environ, "TF_CPU_ALLOCATOR_USE_BFC": "1", "TF_CPP_MIN_LOG_LEVEL": "3"},
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    found = plan(
        new_model(), batch_size=ROWS * replicas, replicas=replicas, jit_compile=False, advice=False
    )
    measured = int(done.stdout.split()[-1])
    assert found.required_bytes.low <= measured <= found.required_bytes.high
    assert found.required_bytes.likely == pytest.approx(measured, rel=0.05)
