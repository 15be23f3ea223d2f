"""Six networks whose layers see the batch as a whole, and a random batch for each."""

import keras
import numpy as np
from keras import layers

CLASSES = 10


def resnet50(side):
    return keras.applications.ResNet50(weights=None, input_shape=(side, side, 3), classes=CLASSES)


def mobilenetv2(side):
    return keras.applications.MobileNetV2(
        weights=None, input_shape=(side, side, 3), classes=CLASSES
    )


def efficientnetb0(side):
    return keras.applications.EfficientNetB0(
        weights=None, input_shape=(side, side, 3), classes=CLASSES
    )


def densenet121(side):
    return keras.applications.DenseNet121(
        weights=None, input_shape=(side, side, 3), classes=CLASSES
    )


def unet(side):
    """Skip connections, and a class for every pixel."""
    images = keras.Input((side, side, 3))
    x, skips = images, []
    for filters in (16, 32, 64, 128):
        x = _two_convolutions(x, filters)
        skips.append(x)
        x = layers.MaxPooling2D(2)(x)
    x = _two_convolutions(x, 256)
    for filters, skip in zip((128, 64, 32, 16), reversed(skips), strict=True):
        x = layers.Conv2DTranspose(filters, 2, strides=2, padding="same")(x)
        x = _two_convolutions(layers.Concatenate()([x, skip]), filters)
    return keras.Model(images, layers.Conv2D(CLASSES, 1, activation="softmax")(x))


def transformer(side):
    """Attention over patches, normalized over the batch, with dropout."""
    images = keras.Input((side, side, 3))
    x = layers.Conv2D(128, 8, strides=8)(images)
    x = layers.Reshape((-1, 128))(x)
    for _ in range(6):
        y = layers.BatchNormalization()(x)
        y = layers.MultiHeadAttention(4, 32, dropout=0.1)(y, y)
        x = layers.Add()([x, y])
        y = layers.BatchNormalization()(x)
        y = layers.Dense(128)(layers.Dropout(0.1)(layers.Dense(512, activation="gelu")(y)))
        x = layers.Add()([x, y])
    x = layers.GlobalAveragePooling1D()(x)
    return keras.Model(images, layers.Dense(CLASSES, activation="softmax")(x))


def _two_convolutions(x, filters):
    for _ in range(2):
        x = layers.Conv2D(filters, 3, padding="same", use_bias=False)(x)
        x = layers.ReLU()(layers.BatchNormalization()(x))
    return x


MODELS = {
    one.__name__: one
    for one in (resnet50, mobilenetv2, efficientnetb0, unet, densenet121, transformer)
}


def make(name, side, *, jit, parts=1):
    """A compiled model with its optimizer built: the same weights each time.

    Args:
        parts: Whose gradients Keras adds up before it takes a step.
    """
    keras.utils.set_random_seed(1)
    model = MODELS[name](side)
    summed = parts if parts > 1 else None
    model.compile(
        keras.optimizers.SGD(0.01, momentum=0.9, gradient_accumulation_steps=summed),
        "sparse_categorical_crossentropy",
        jit_compile=jit,
    )
    model.optimizer.build(model.trainable_variables)
    return model


def draw_batch(name, side, rows):
    """Images and labels."""
    random = np.random.default_rng(0)
    images = random.normal(size=(rows, side, side, 3)).astype("float32")
    shape = (rows, side, side) if name == "unet" else (rows,)
    return images, random.integers(0, CLASSES, shape).astype("int32")
