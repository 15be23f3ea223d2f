"""`too_large.py`, after settings of its own for the devices: `own_devices.py OUT KIND`."""

import runpy
from pathlib import Path

import tensorflow as tf

for gpu in tf.config.list_physical_devices("GPU"):
    tf.config.experimental.set_memory_growth(gpu, True)
(cpu,) = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
runpy.run_path(str(Path(__file__).with_name("too_large.py")))
