"""Small compiled models of both libraries, with the specs of their data."""

from typing import Any

import keras
import tensorflow as tf
import tf_keras

from fitguard.memory.training import Training

LIBRARIES = {"keras": keras, "tf_keras": tf_keras}


def convolutional(library: Any, side: int = 16) -> Any:
    """Images to ten classes, with all that keeps state: normalisation and dropout."""
    layers = library.layers
    image = library.Input((side, side, 3))
    value = layers.Rescaling(1 / 255)(image)
    for number in range(3):
        kept = layers.Conv2D(4, 3, padding="same", name=f"conv_{number}")(value)
        kept = layers.BatchNormalization(name=f"norm_{number}")(kept)
        kept = layers.Activation("relu")(kept)
        kept = layers.Dropout(0.3, seed=number)(kept)
        value = layers.Concatenate()([value, kept])
    value = layers.GlobalAveragePooling2D()(value)
    return library.Model(image, layers.Dense(10, activation="softmax")(value))


def sequential(library: Any) -> Any:
    """With a layer whose weights depend on the size of the image."""
    layers = library.layers
    return library.Sequential(
        [
            library.Input((16, 16, 3)),
            layers.Conv2D(4, 3, activation="relu"),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dense(10, activation="softmax"),
        ]
    )


def nested(library: Any) -> Any:
    """A frozen model inside of another, and a function of the user's."""
    base = convolutional(library)
    base.trainable = False
    image = library.Input((16, 16, 3))
    value = library.layers.Lambda(lambda scores: 2.0 * scores)(base(image))
    return library.Model(image, library.layers.Dense(10, activation="softmax")(value))


def recurrent(library: Any) -> Any:
    """Layers in wrappers, a mask, and whole numbers as input."""
    layers = library.layers
    tokens = library.Input((6,), dtype="int32")
    value = layers.Embedding(20, 8, mask_zero=True)(tokens)
    value = layers.Bidirectional(layers.LSTM(4, return_sequences=True))(value)
    value = layers.TimeDistributed(layers.Dense(4))(value)
    return library.Model(tokens, layers.Dense(10, activation="softmax")(layers.LSTM(4)(value)))


MODELS = {
    "convolutional": convolutional,
    "sequential": sequential,
    "nested": nested,
    "recurrent": recurrent,
}


def training(model: Any, library: Any = keras, **settings: Any) -> Training:
    """The model compiled with Adam for whole numbers as labels."""
    model.compile(
        optimizer=library.optimizers.Adam(0.01),
        loss="sparse_categorical_crossentropy",
        metrics=["accuracy"],
        jit_compile=False,
        **settings,
    )
    model.optimizer.build(model.trainable_variables)
    given = model.inputs[0]
    return Training(
        model=model,
        data=(
            tf.TensorSpec((None, *given.shape[1:]), given.dtype),
            tf.TensorSpec((None,), tf.int32),
        ),
        jit_compile=False,
    )


def traced(given: Training, batch_size: int = 3) -> list[Any]:
    """The operations of the training step, those in functions left out."""
    step = tf.function(lambda data: given.model.train_step(data))
    return list(step.get_concrete_function(given.specs(batch_size)).graph.get_operations())


def count(operations: list[Any], kind: str) -> int:
    """How many operations are of this kind."""
    return sum(operation.type == kind for operation in operations)
