"""A layer that runs out of memory, really, where it gets more rows than a limit."""

import functools

import tensorflow as tf

_TOO_MUCH = 2**40
"""Numbers for each row: no machine has the memory."""


@functools.cache
def limit():
    """A variable that belongs to no model: no snapshot brings it back."""
    return tf.Variable(10**6, dtype=tf.int64, name="rows_that_fit")


def limited(library, replica=None):
    """The layer, of one of the libraries; it gives what it gets.

    `replica`: the only one of a strategy that has the limit.
    """

    class Limited(library.layers.Layer):
        def call(self, inputs):
            rows = tf.shape(inputs, out_type=tf.int64)[0]
            here = tf.distribute.get_replica_context()
            if replica is not None and here is not None:
                spared = here.replica_id_in_sync_group != replica
                rows = tf.where(spared, tf.zeros_like(rows), rows)
            needed = tf.where(rows > limit(), rows * _TOO_MUCH, 1)
            # Nothing that the graph optimizer could see through.
            first = tf.reduce_max(inputs)
            zero = tf.reduce_max(tf.fill([needed], first)) - first
            return inputs + tf.stop_gradient(zero)

    return Limited()
