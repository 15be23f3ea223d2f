"""Whether TensorFlow was told to compute the same each time."""


def operations_deterministic() -> bool:
    """Whether `tf.config.experimental.enable_op_determinism` was called."""
    from tensorflow.python.framework import config

    return bool(config.is_op_determinism_enabled())
