"""Models that the planner was developed on: builders by name, and the rows measured on a GPU."""

import keras
from keras import layers


def vgg_like():
    """Plain 3x3 convolutions, pooling and two big dense layers."""
    model = keras.Sequential([keras.Input((96, 96, 3))])
    for filters, repeats in ((64, 2), (128, 2), (256, 3), (512, 3)):
        for _ in range(repeats):
            model.add(layers.Conv2D(filters, 3, padding="same", activation="relu"))
        model.add(layers.MaxPooling2D(2))
    model.add(layers.Flatten())
    model.add(layers.Dense(2048, activation="relu"))
    model.add(layers.Dropout(0.5))
    model.add(layers.Dense(2048, activation="relu"))
    model.add(layers.Dropout(0.5))
    model.add(layers.Dense(10, activation="softmax"))
    return model


def dense_blocks():
    """DenseNet-like: every layer reads the concatenation of all layers before it."""
    images = keras.Input((64, 64, 3))
    x = layers.Conv2D(32, 3, padding="same", use_bias=False)(images)
    for block in range(3):
        for _ in range(6):
            y = layers.BatchNormalization()(x)
            y = layers.Conv2D(24, 3, padding="same", use_bias=False)(layers.ReLU()(y))
            x = layers.Concatenate()([x, y])
        if block < 2:
            x = layers.Conv2D(x.shape[-1] // 2, 1, use_bias=False)(x)
            x = layers.AveragePooling2D(2)(x)
    x = layers.GlobalAveragePooling2D()(layers.ReLU()(layers.BatchNormalization()(x)))
    return keras.Model(images, layers.Dense(10, activation="softmax")(x))


def unet_transpose():
    """U-Net: skip connections, Conv2DTranspose on the way up, a class for every pixel."""
    images = keras.Input((128, 128, 3))
    x, skips = images, []
    for filters in (32, 64, 128, 256):
        x = _two_convolutions(x, filters)
        skips.append(x)
        x = layers.MaxPooling2D(2)(x)
    x = layers.Dropout(0.3)(_two_convolutions(x, 512))
    for filters, skip in zip((256, 128, 64, 32), reversed(skips), strict=True):
        x = layers.Conv2DTranspose(filters, 2, strides=2, padding="same")(x)
        x = _two_convolutions(layers.Concatenate()([x, skip]), filters)
    return keras.Model(images, layers.Conv2D(5, 1, activation="softmax")(x))


def _two_convolutions(x, filters):
    for _ in range(2):
        x = layers.Conv2D(filters, 3, padding="same", use_bias=False)(x)
        x = layers.ReLU()(layers.BatchNormalization()(x))
    return x


def separable_cnn():
    """SeparableConv2D with residual sums."""
    images = keras.Input((112, 112, 3))
    x = layers.Conv2D(32, 3, strides=2, padding="same", activation="relu")(images)
    for filters in (64, 128, 256):
        shortcut = layers.Conv2D(filters, 1, strides=2, padding="same")(x)
        for _ in range(2):
            x = layers.SeparableConv2D(filters, 3, padding="same", use_bias=False)(x)
            x = layers.Activation("swish")(layers.BatchNormalization()(x))
        x = layers.Add()([layers.MaxPooling2D(3, strides=2, padding="same")(x), shortcut])
    x = layers.Dropout(0.2)(layers.GlobalAveragePooling2D()(x))
    return keras.Model(images, layers.Dense(10, activation="softmax")(x))


def efficientnetb0():
    """EfficientNetB0 of keras.applications."""
    return keras.applications.EfficientNetB0(weights=None, classes=10, input_shape=(224, 224, 3))


def inceptionv3():
    """InceptionV3 of keras.applications."""
    return keras.applications.InceptionV3(weights=None, classes=10, input_shape=(299, 299, 3))


def causal_conv1d():
    """WaveNet-like: causal dilated convolutions with gates, a class for every time step."""
    signal = keras.Input((4096, 8))
    x = layers.Conv1D(64, 1)(signal)
    for dilation in (1, 2, 4, 8, 16, 32, 64, 128):
        gate = layers.Conv1D(64, 3, padding="causal", dilation_rate=dilation, activation="sigmoid")(
            x
        )
        content = layers.Conv1D(64, 3, padding="causal", dilation_rate=dilation, activation="tanh")(
            x
        )
        y = layers.Conv1D(64, 1)(layers.Multiply()([content, gate]))
        x = layers.Add()([x, y])
    return keras.Model(signal, layers.Dense(16, activation="softmax")(x))


def conv3d_scan():
    """Conv3D over a volume, with batch normalization."""
    model = keras.Sequential([keras.Input((48, 64, 64, 1))])
    for filters in (16, 32, 64):
        model.add(layers.Conv3D(filters, 3, padding="same", activation="relu"))
        model.add(layers.BatchNormalization())
        model.add(layers.MaxPooling3D(2))
    model.add(layers.GlobalAveragePooling3D())
    model.add(layers.Dense(64, activation="relu"))
    model.add(layers.Dense(10, activation="softmax"))
    return model


def gru_bidirectional():
    """Two bidirectional GRU layers over tokens (the cuDNN path)."""
    return keras.Sequential(
        [
            keras.Input((200,), dtype="int32"),
            layers.Embedding(20000, 128),
            layers.Bidirectional(layers.GRU(256, return_sequences=True)),
            layers.Dropout(0.3),
            layers.Bidirectional(layers.GRU(128)),
            layers.Dense(10, activation="softmax"),
        ]
    )


def lstm_masked():
    """LSTM with a mask, dropout and recurrent dropout: a loop, because cuDNN has no such LSTM."""
    return keras.Sequential(
        [
            keras.Input((100,), dtype="int32"),
            layers.Embedding(10000, 128, mask_zero=True),
            layers.LSTM(256, return_sequences=True, dropout=0.2, recurrent_dropout=0.2),
            layers.LSTM(128, dropout=0.2, recurrent_dropout=0.2),
            layers.Dense(10, activation="softmax"),
        ]
    )


def convlstm():
    """ConvLSTM2D over short clips, a class for every pixel of the last frame."""
    clips = keras.Input((8, 48, 48, 3))
    x = layers.ConvLSTM2D(24, 3, padding="same", return_sequences=True)(clips)
    x = layers.BatchNormalization()(x)
    x = layers.ConvLSTM2D(16, 3, padding="same")(x)
    return keras.Model(clips, layers.Conv2D(4, 1, activation="softmax")(x))


def text_encoder():
    """Transformer encoder, norm after the sum, dropout everywhere, mean over the positions."""
    tokens = keras.Input((192,), dtype="int32")
    x = layers.Embedding(24000, 320)(tokens)
    for _ in range(4):
        y = layers.MultiHeadAttention(5, 64, dropout=0.1)(x, x)
        x = layers.LayerNormalization()(layers.Add()([x, layers.Dropout(0.1)(y)]))
        y = layers.Dense(320)(layers.Dense(1280, activation="relu")(x))
        x = layers.LayerNormalization()(layers.Add()([x, layers.Dropout(0.1)(y)]))
    x = layers.GlobalAveragePooling1D()(x)
    return keras.Model(tokens, layers.Dense(10, activation="softmax")(x))


def vit():
    """Vision transformer: 8x8 patches, learned positions, norm before attention."""
    images = keras.Input((112, 112, 3))
    x = layers.Conv2D(256, 8, strides=8)(images)
    x = layers.Reshape((196, 256))(x)
    x = _LearnedPositions()(x)
    for _ in range(6):
        y = layers.LayerNormalization(epsilon=1e-6)(x)
        x = layers.Add()([x, layers.MultiHeadAttention(4, 64)(y, y)])
        y = layers.LayerNormalization(epsilon=1e-6)(x)
        y = layers.Dense(256)(layers.Dense(768, activation="gelu")(y))
        x = layers.Add()([x, y])
    x = layers.Flatten()(layers.LayerNormalization()(x))
    return keras.Model(images, layers.Dense(10, activation="softmax")(layers.Dropout(0.5)(x)))


class _LearnedPositions(layers.Layer):
    def build(self, shape):
        self.positions = self.add_weight(shape=shape[1:], initializer="zeros", name="positions")

    def call(self, x):
        return x + self.positions


def wide_and_deep():
    """Tabular model with three inputs: numbers, categories, and one key with many values."""
    numbers = keras.Input((64,))
    categories = keras.Input((26,), dtype="int32")
    key = keras.Input((1,), dtype="int32")
    embedded = layers.Flatten()(layers.Embedding(50000, 32)(categories))
    person = layers.Flatten()(layers.Embedding(200000, 64)(key))
    deep = layers.Concatenate()([layers.BatchNormalization()(numbers), embedded, person])
    for units in (1024, 512, 256):
        deep = layers.Dropout(0.2)(layers.Dense(units, activation="relu")(deep))
    both = layers.Concatenate()([numbers, deep])
    return keras.Model([numbers, categories, key], layers.Dense(2, activation="softmax")(both))


def residual_mlp():
    """Residual dense blocks with LayerNormalization and dropout."""
    features = keras.Input((512,))
    x = layers.Dense(2048)(features)
    for _ in range(6):
        y = layers.Dense(2048, activation="gelu")(layers.LayerNormalization()(x))
        x = layers.Add()([x, layers.Dropout(0.1)(layers.Dense(2048)(y))])
    return keras.Model(features, layers.Dense(100, activation="softmax")(x))


def variational():
    """Convolutional VAE: a sampled code, GroupNormalization, a class for every pixel."""
    images = keras.Input((64, 64, 3))
    x = images
    for filters in (64, 128, 256):
        x = layers.Conv2D(filters, 4, strides=2, padding="same", activation="swish")(x)
        x = layers.GroupNormalization(8)(x)
    x = layers.Flatten()(x)
    x = _Sampling()([layers.Dense(128)(x), layers.Dense(128)(x)])
    x = layers.Reshape((8, 8, 256))(layers.Dense(8 * 8 * 256)(x))
    for filters in (256, 128, 64):
        x = layers.Conv2DTranspose(filters, 4, strides=2, padding="same", activation="swish")(x)
    return keras.Model(images, layers.Conv2D(16, 3, padding="same", activation="softmax")(x))


class _Sampling(layers.Layer):
    def __init__(self, **options):
        super().__init__(**options)
        self.seed = keras.random.SeedGenerator(1)

    def call(self, moments):
        mean, spread = moments
        noise = keras.random.normal(keras.ops.shape(mean), dtype=mean.dtype, seed=self.seed)
        kept = 1 + spread - keras.ops.square(mean) - keras.ops.exp(spread)
        self.add_loss(-0.0005 * keras.ops.mean(keras.ops.sum(kept, axis=-1)))
        return mean + keras.ops.exp(0.5 * spread) * noise


BUILDERS = {
    builder.__name__: builder
    for builder in (
        vgg_like,
        dense_blocks,
        unet_transpose,
        separable_cnn,
        efficientnetb0,
        inceptionv3,
        causal_conv1d,
        conv3d_scan,
        gru_bidirectional,
        lstm_masked,
        convlstm,
        text_encoder,
        vit,
        wide_and_deep,
        residual_mlp,
        variational,
    )
}

ROWS = [
    ("vgg_like", "float32", "sgd_momentum", 128),
    ("vgg_like", "mixed_float16", "adam", 256),
    ("dense_blocks", "float32", "adam", 48),
    ("dense_blocks", "mixed_bfloat16", "sgd", 72),
    ("unet_transpose", "float32", "adam", 32),
    ("unet_transpose", "mixed_float16", "rmsprop", 37),
    ("separable_cnn", "float32", "adamw", 256),
    ("efficientnetb0", "float32", "rmsprop", 32),
    ("efficientnetb0", "mixed_float16", "adam", 48),
    ("inceptionv3", "float32", "sgd_momentum", 20),
    ("causal_conv1d", "float32", "adam", 64),
    ("causal_conv1d", "mixed_bfloat16", "lion", 100),
    ("conv3d_scan", "float32", "adam", 32),
    ("gru_bidirectional", "float32", "adam", 512),
    ("lstm_masked", "float32", "rmsprop", 512),
    ("convlstm", "float32", "adam", 64),
    ("text_encoder", "float32", "adamw", 128),
    ("text_encoder", "mixed_float16", "adam", 256),
    ("vit", "float32", "adam", 100),
    ("wide_and_deep", "float32", "adagrad", 20000),
    ("residual_mlp", "float32", "adafactor", 4096),
    ("residual_mlp", "mixed_bfloat16", "lion", 8192),
    ("variational", "float32", "adam", 256),
]

XLA_ROWS = [
    ("vgg_like", "float32", "adam", 128),
    ("vgg_like", "mixed_float16", "sgd_momentum", 256),
    ("unet_transpose", "float32", "adam", 32),
    ("separable_cnn", "float32", "rmsprop", 256),
    ("causal_conv1d", "float32", "adam", 64),
    ("text_encoder", "mixed_bfloat16", "adamw", 256),
    ("wide_and_deep", "float32", "adam", 20000),
    ("residual_mlp", "float32", "adam", 4096),
    ("variational", "float32", "adam", 256),
]
