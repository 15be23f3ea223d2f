"""The models of the measurements that fitguard's development started from."""

import keras
from keras import layers


def seed_cnn():
    """One convolution and a big dense layer."""
    images = keras.Input((100, 100, 3))
    x = layers.MaxPooling2D(2)(layers.Conv2D(32, 3, activation="relu")(images))
    x = layers.Dense(128, activation="relu")(layers.Flatten()(x))
    return keras.Model(images, layers.Dense(10, activation="softmax")(x))


def mlp():
    """Two dense layers of 4096."""
    features = keras.Input((784,))
    x = features
    for _ in range(2):
        x = layers.Dense(4096, activation="relu")(x)
    return keras.Model(features, layers.Dense(10, activation="softmax")(x))


def lstm():
    """Two LSTM layers over 256 tokens."""
    tokens = keras.Input((256,), dtype="int32")
    x = layers.Embedding(30000, 256)(tokens)
    x = layers.LSTM(512)(layers.LSTM(512, return_sequences=True)(x))
    return keras.Model(tokens, layers.Dense(10, activation="softmax")(x))


def gpt():
    """Decoder of six blocks, with a class for every token of the vocabulary."""
    tokens = keras.Input((256,), dtype="int32")
    x = layers.Embedding(16000, 512)(tokens)
    for _ in range(6):
        x = _decoder_block(x)
    x = layers.LayerNormalization()(x)
    return keras.Model(tokens, layers.Dense(16000, activation="softmax")(x))


def _decoder_block(x):
    normed = layers.LayerNormalization()(x)
    attended = layers.MultiHeadAttention(8, 64)(normed, normed, use_causal_mask=True)
    x = layers.Add()([x, attended])
    wide = layers.Dense(2048, activation="gelu")(layers.LayerNormalization()(x))
    return layers.Add()([x, layers.Dense(512)(wide)])


def autoencoder():
    """Strided convolutions down to a code of 256, transposed ones up again."""
    images = keras.Input((64, 64, 3))
    x = images
    for filters in (32, 64, 128):
        x = layers.Conv2D(filters, 3, strides=2, padding="same", activation="relu")(x)
    code = layers.Dense(256)(layers.Flatten()(x))
    x = layers.Reshape((8, 8, 128))(layers.Dense(8192, activation="relu")(code))
    for filters in (128, 64, 32):
        x = layers.Conv2DTranspose(filters, 3, strides=2, padding="same", activation="relu")(x)
    return keras.Model(images, layers.Conv2D(10, 3, padding="same", activation="softmax")(x))


def resnet50():
    """ResNet50 of keras.applications."""
    return keras.applications.ResNet50(weights=None, classes=10, input_shape=(224, 224, 3))


def mobilenetv2():
    """MobileNetV2 of keras.applications."""
    return keras.applications.MobileNetV2(weights=None, classes=10, input_shape=(224, 224, 3))


BUILDERS = {
    builder.__name__: builder
    for builder in (seed_cnn, mlp, lstm, gpt, autoencoder, resnet50, mobilenetv2)
}
