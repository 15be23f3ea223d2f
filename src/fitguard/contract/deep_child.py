"""Imports TensorFlow and says what it sees. Runs inside the interpreter that trains.

Old syntax on purpose: that interpreter may be a Python 2.7 with TensorFlow 1.4.
"""

import os
import sys

if sys.path and os.path.realpath(sys.path[0] or ".") == os.path.dirname(os.path.realpath(__file__)):  # noqa: PTH120
    # The user's own script has another directory here, and no module of ours may shadow another.
    del sys.path[0]

import json


def gpus(tf):
    """Names of the GPUs that TensorFlow sees, asked in the way of its era."""
    try:
        return [device.name for device in tf.config.list_physical_devices("GPU")]
    except AttributeError:
        from tensorflow.python.client import device_lib

        devices = device_lib.list_local_devices()
        return [device.name for device in devices if device.device_type == "GPU"]


def build(tf):
    """What TensorFlow says of its build, as text."""
    try:
        information = dict(tf.sysconfig.get_build_info())
    except AttributeError:
        information = {"is_cuda_build": tf.test.is_built_with_cuda()}
    return dict((str(key), str(value)) for key, value in information.items())


def main():
    """Print one line: the marker that was given, then JSON."""
    import tensorflow as tf

    answer = {"version": tf.__version__, "build": build(tf), "gpus": gpus(tf)}
    sys.stdout.write("\n" + sys.argv[1] + json.dumps(answer) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
