"""A sum of large tensors, called as a changed graph is: the MiB in use before and after."""

import tensorflow as tf

from fitguard.contract.rewritten import make_callable

MEBIBYTES = 64


def mebibytes_in_use():
    return tf.config.experimental.get_memory_info("CPU:0")["current"] >> 20


@tf.function
def add_up(x):
    parts = [tf.cos(x * factor) for factor in (1.0, 2.0, 3.0, 4.0, 5.0)]
    return tf.reduce_sum(tf.add_n(parts) * x)


x = tf.random.stateless_uniform((MEBIBYTES << 18,), (1, 2))
traced = add_up.get_concrete_function(x)
call = make_callable(traced, traced.graph.as_graph_def(), jit_compile=False)
before = mebibytes_in_use()
call([x])
call([x])
print(before, mebibytes_in_use())  # noqa: T201
