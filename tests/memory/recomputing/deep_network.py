"""A network of many alike blocks, and the graph of its step."""

import keras
import tensorflow as tf

SIDE, ROWS = 32, 16


def deep(library, depth=12, dropout=0.2):
    """Blocks of convolution, normalization and dropout, with connections around them."""
    layers = library.layers
    given = value = library.Input((SIDE, SIDE, 3))
    for number in range(depth):
        new = layers.Conv2D(8, 3, padding="same", use_bias=False)(value)
        new = layers.ReLU()(layers.BatchNormalization()(new))
        new = layers.Dropout(dropout)(new)
        value = layers.Add()([value, new]) if number else new
    return library.Model(given, layers.Dense(10)(layers.GlobalAveragePooling2D()(value)))


def trace(model, library=keras):
    """The graph of its step."""
    loss = library.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("sgd", loss, jit_compile=False)
    model.optimizer.build(model.trainable_variables)
    specs = tf.TensorSpec((ROWS, SIDE, SIDE, 3)), tf.TensorSpec((ROWS,), tf.int32)
    step = tf.function(lambda *batch: model.train_step(batch), autograph=False)
    return step.get_concrete_function(*specs).graph
