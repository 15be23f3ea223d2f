"""The Keras that the scripts use: FITGUARD_KERAS is keras, tf_keras, or tensorflow.keras."""

import importlib
import os

import tensorflow as tf

_name = os.environ.get("FITGUARD_KERAS", "keras")
keras = tf.keras if _name == "tensorflow.keras" else importlib.import_module(_name)

if not hasattr(keras, "ops"):  # Keras 2
    # Without it, Dropout draws from a source inside TensorFlow that nobody can read.
    keras.backend.experimental.enable_tf_random_generator()
