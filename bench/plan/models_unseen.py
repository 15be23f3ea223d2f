"""Held-out models: nobody tuned the planner on them. Builders by name, and the rows measured."""

import keras
from keras import layers


def elu_cnn():
    """Convolutions of several sizes with ELU, BatchNormalization and average pooling."""
    model = keras.Sequential([keras.Input((120, 120, 3))])
    model.add(layers.Conv2D(48, 7, strides=2, padding="same", activation="elu"))
    for filters, size in ((96, 5), (192, 3), (384, 3)):
        model.add(layers.Conv2D(filters, size, padding="same", activation="elu"))
        model.add(layers.BatchNormalization())
        model.add(layers.Conv2D(filters, size, padding="valid", activation="elu"))
        model.add(layers.SpatialDropout2D(0.1))
        model.add(layers.AveragePooling2D(2))
    model.add(layers.Flatten())
    model.add(layers.Dense(1500, activation="elu"))
    model.add(layers.Dense(20, activation="softmax"))
    return model


def bottleneck_concats():
    """Growing concatenations behind 1x1 bottlenecks, with max pooling between the blocks."""
    images = keras.Input((80, 80, 3))
    x = layers.Conv2D(48, 5, strides=2, padding="same", activation="relu")(images)
    for repeats in (5, 8, 6):
        for _ in range(repeats):
            y = layers.Conv2D(128, 1, use_bias=False)(layers.ReLU()(x))
            y = layers.ReLU()(layers.BatchNormalization()(y))
            y = layers.Conv2D(32, 3, padding="same")(y)
            x = layers.Concatenate()([x, y])
        x = layers.MaxPooling2D(2)(layers.BatchNormalization()(x))
    x = layers.GlobalMaxPooling2D()(x)
    return keras.Model(images, layers.Dense(50, activation="softmax")(x))


def unet_upsampling():
    """U-Net with bilinear UpSampling2D, GroupNormalization and summed skips."""
    images = keras.Input((160, 160, 1))
    x, skips = images, []
    for filters in (24, 48, 96):
        x = layers.Conv2D(filters, 3, padding="same")(x)
        x = layers.Activation("gelu")(layers.GroupNormalization(6)(x))
        skips.append(x)
        x = layers.Conv2D(filters, 3, strides=2, padding="same", activation="gelu")(x)
    x = layers.Conv2D(192, 3, padding="same", activation="gelu", dilation_rate=2)(x)
    for filters, skip in zip((96, 48, 24), reversed(skips), strict=True):
        x = layers.UpSampling2D(2, interpolation="bilinear")(x)
        x = layers.Conv2D(filters, 3, padding="same", activation="gelu")(x)
        x = layers.GroupNormalization(6)(layers.Add()([x, skip]))
    return keras.Model(images, layers.Conv2D(3, 1, activation="softmax")(x))


def depthwise_gates():
    """Inverted bottlenecks: DepthwiseConv2D and squeeze-and-excitation gates."""
    images = keras.Input((128, 128, 3))
    x = layers.Conv2D(24, 3, strides=2, padding="same", use_bias=False)(images)
    for filters, stride in ((24, 1), (40, 2), (40, 1), (80, 2), (80, 1), (112, 2)):
        y = layers.Conv2D(4 * x.shape[-1], 1, use_bias=False)(x)
        y = layers.ReLU(max_value=6)(layers.BatchNormalization()(y))
        y = layers.DepthwiseConv2D(5, strides=stride, padding="same", use_bias=False)(y)
        y = layers.ReLU(max_value=6)(layers.BatchNormalization()(y))
        gate = layers.GlobalAveragePooling2D(keepdims=True)(y)
        gate = layers.Conv2D(y.shape[-1] // 8, 1, activation="relu")(gate)
        y = layers.Multiply()([y, layers.Conv2D(y.shape[-1], 1, activation="sigmoid")(gate)])
        y = layers.BatchNormalization()(layers.Conv2D(filters, 1, use_bias=False)(y))
        x = layers.Add()([x, y]) if stride == 1 and x.shape[-1] == filters else y
    x = layers.Dense(640, activation="hard_swish")(layers.GlobalAveragePooling2D()(x))
    return keras.Model(images, layers.Dense(10, activation="softmax")(x))


def xception():
    """Xception of keras.applications."""
    return keras.applications.Xception(weights=None, classes=10, input_shape=(224, 224, 3))


def densenet121():
    """DenseNet121 of keras.applications."""
    return keras.applications.DenseNet121(weights=None, classes=10, input_shape=(224, 224, 3))


def convnext_tiny():
    """ConvNeXtTiny of keras.applications."""
    return keras.applications.ConvNeXtTiny(weights=None, classes=10, input_shape=(160, 160, 3))


def sensor_conv1d():
    """Time series: three kernel sizes side by side, strides, residual sums."""
    signal = keras.Input((3000, 12))
    x = signal
    for filters, stride in ((32, 1), (64, 2), (96, 2), (128, 5)):
        branches = [
            layers.Conv1D(filters, size, strides=stride, padding="same", use_bias=False)(x)
            for size in (5, 11, 23)
        ]
        y = layers.ReLU()(layers.BatchNormalization()(layers.Concatenate()(branches)))
        shortcut = layers.Conv1D(3 * filters, 1, strides=stride, padding="same")(x)
        x = layers.Add()([y, shortcut])
    x = layers.Dropout(0.25)(layers.GlobalAveragePooling1D()(x))
    return keras.Model(signal, layers.Dense(6, activation="softmax")(x))


def video_conv3d():
    """Clips of 16 frames: factored Conv3D (space, then time) with residual sums."""
    clips = keras.Input((16, 80, 80, 3))
    x = layers.Conv3D(24, (3, 5, 5), strides=(1, 2, 2), padding="same")(clips)
    for filters in (32, 64, 128):
        shortcut = layers.Conv3D(filters, 1, strides=2, padding="same")(x)
        y = layers.Conv3D(filters, (1, 3, 3), padding="same", activation="relu")(x)
        y = layers.LayerNormalization()(y)
        y = layers.Conv3D(filters, (3, 1, 1), strides=2, padding="same")(y)
        x = layers.ReLU()(layers.Add()([shortcut, layers.AveragePooling3D(1)(y)]))
    x = layers.GlobalAveragePooling3D()(x)
    return keras.Model(clips, layers.Dense(25, activation="softmax")(x))


def gru_tagger():
    """Three stacked GRU layers on floats, a class for every time step."""
    frames = keras.Input((320, 80))
    x = layers.LayerNormalization()(frames)
    for units in (384, 384, 256):
        x = layers.GRU(units, return_sequences=True)(x)
    x = layers.TimeDistributed(layers.Dense(128, activation="relu"))(x)
    return keras.Model(frames, layers.Dense(60, activation="softmax")(x))


def lstm_recurrent_dropout():
    """Masked floats into a bidirectional LSTM with recurrent dropout, then a plain LSTM."""
    frames = keras.Input((80, 40))
    x = layers.Masking()(frames)
    x = layers.Bidirectional(layers.LSTM(160, return_sequences=True, recurrent_dropout=0.25))(x)
    x = layers.LSTM(192, dropout=0.1)(x)
    x = layers.Dense(96, activation="tanh")(x)
    return keras.Model(frames, layers.Dense(12, activation="softmax")(x))


def convlstm_forecast():
    """One ConvLSTM2D with strides and dropout, then a dense classifier."""
    return keras.Sequential(
        [
            keras.Input((10, 56, 56, 2)),
            layers.ConvLSTM2D(32, 5, strides=2, padding="same", dropout=0.1),
            layers.GroupNormalization(4),
            layers.Conv2D(48, 3, activation="relu"),
            layers.GlobalMaxPooling2D(),
            layers.Dense(8, activation="softmax"),
        ]
    )


def token_classifier():
    """Transformer encoder with padding mask, position embedding, and a class for every token."""
    tokens = keras.Input((384,), dtype="int32")
    x = layers.Embedding(12000, 256, mask_zero=True)(tokens)
    x = _AddedPositions(384)(x)
    for _ in range(3):
        y = layers.LayerNormalization()(x)
        y = layers.MultiHeadAttention(8, 32, dropout=0.1)(y, y)
        x = layers.Add()([x, y])
        y = layers.Dense(1024, activation="swish")(layers.LayerNormalization()(x))
        x = layers.Add()([x, layers.Dropout(0.1)(layers.Dense(256)(y))])
    return keras.Model(tokens, layers.Dense(40, activation="softmax")(x))


class _AddedPositions(layers.Layer):
    def __init__(self, length, **options):
        super().__init__(**options)
        self.length = length
        self.supports_masking = True

    def build(self, shape):
        self.table = layers.Embedding(self.length, shape[-1])
        self.table.build((self.length,))

    def call(self, x):
        return x + self.table(keras.ops.arange(self.length))


def small_patches_vit():
    """Vision transformer on 64x64 images: 4x4 patches by reshaping, pooled by the mean."""
    images = keras.Input((64, 64, 3))
    x = layers.Reshape((16, 4, 16, 12))(images)
    x = layers.Permute((1, 3, 2, 4))(x)
    x = _AddedPositions(256)(layers.Dense(192)(layers.Reshape((256, 48))(x)))
    for _ in range(5):
        y = layers.LayerNormalization()(x)
        x = layers.Add()([x, layers.MultiHeadAttention(3, 64, dropout=0.1)(y, y)])
        y = layers.Dense(768, activation="gelu")(layers.LayerNormalization()(x))
        x = layers.Add()([x, layers.Dense(192)(layers.Dropout(0.1)(y))])
    x = layers.GlobalAveragePooling1D()(layers.LayerNormalization()(x))
    return keras.Model(images, layers.Dense(10, activation="softmax")(x))


def recommender():
    """Two towers over big embedding tables, histories averaged, joined by a product."""
    person = keras.Input((1,), dtype="int32")
    item = keras.Input((1,), dtype="int32")
    history = keras.Input((50,), dtype="int32")
    context = keras.Input((20,))
    people = layers.Flatten()(layers.Embedding(600000, 96)(person))
    items = layers.Embedding(300000, 96)
    past = layers.GlobalAveragePooling1D()(items(history))
    left = layers.Dense(256, activation="relu")(layers.Concatenate()([people, past, context]))
    right = layers.Dense(256, activation="relu")(layers.Flatten()(items(item)))
    joined = layers.Concatenate()([left, right, layers.Multiply()([left, right])])
    joined = layers.Dense(128, activation="relu")(layers.Dropout(0.1)(joined))
    return keras.Model(
        [person, item, history, context], layers.Dense(5, activation="softmax")(joined)
    )


def wide_mlp():
    """Wide dense layers with BatchNormalization, Dropout and noise."""
    model = keras.Sequential([keras.Input((1200,)), layers.GaussianNoise(0.1)])
    for units in (6000, 3000, 6000):
        model.add(layers.Dense(units, use_bias=False))
        model.add(layers.BatchNormalization())
        model.add(layers.LeakyReLU())
        model.add(layers.Dropout(0.3))
    model.add(layers.Dense(200, activation="softmax"))
    return model


def sampled_autoencoder():
    """Autoencoder with a noisy map of codes, residual sums and nearest UpSampling2D."""
    images = keras.Input((96, 96, 3))
    x = layers.Conv2D(40, 5, strides=2, padding="same", activation="relu")(images)
    x = layers.Conv2D(80, 3, strides=2, padding="same", activation="relu")(x)
    x = layers.Add()([x, layers.Conv2D(80, 3, padding="same", activation="relu")(x)])
    mean, spread = layers.Conv2D(16, 1)(x), layers.Conv2D(16, 1, activation="softplus")(x)
    x = _NoisyCode()([mean, spread])
    for filters in (80, 40):
        x = layers.UpSampling2D(2)(x)
        x = layers.Conv2D(filters, 3, padding="same", activation="relu")(x)
        x = layers.LayerNormalization()(x)
    return keras.Model(images, layers.Conv2D(12, 3, padding="same", activation="softmax")(x))


class _NoisyCode(layers.Layer):
    def __init__(self, **options):
        super().__init__(**options)
        self.seed = keras.random.SeedGenerator(2)

    def call(self, moments):
        mean, spread = moments
        noise = keras.random.normal(keras.ops.shape(mean), dtype=mean.dtype, seed=self.seed)
        return mean + spread * noise


BUILDERS = {
    builder.__name__: builder
    for builder in (
        elu_cnn,
        bottleneck_concats,
        unet_upsampling,
        depthwise_gates,
        xception,
        densenet121,
        convnext_tiny,
        sensor_conv1d,
        video_conv3d,
        gru_tagger,
        lstm_recurrent_dropout,
        convlstm_forecast,
        token_classifier,
        small_patches_vit,
        recommender,
        wide_mlp,
        sampled_autoencoder,
    )
}

ROWS = [
    ("elu_cnn", "float32", "adam", 200),
    ("elu_cnn", "mixed_bfloat16", "rmsprop", 300),
    ("bottleneck_concats", "float32", "sgd_momentum", 64),
    ("bottleneck_concats", "mixed_float16", "adam", 100),
    ("unet_upsampling", "float32", "adamw", 37),
    ("depthwise_gates", "float32", "rmsprop", 90),
    ("xception", "float32", "adam", 24),
    ("xception", "mixed_float16", "sgd_momentum", 32),
    ("densenet121", "float32", "adam", 16),
    ("convnext_tiny", "float32", "adamw", 32),
    ("convnext_tiny", "mixed_bfloat16", "lion", 48),
    ("sensor_conv1d", "float32", "adam", 100),
    ("video_conv3d", "float32", "sgd", 48),
    ("gru_tagger", "float32", "adam", 400),
    ("gru_tagger", "mixed_float16", "rmsprop", 600),
    ("lstm_recurrent_dropout", "float32", "adam", 500),
    ("convlstm_forecast", "float32", "adamw", 100),
    ("token_classifier", "float32", "adam", 64),
    ("token_classifier", "mixed_float16", "lion", 100),
    ("small_patches_vit", "float32", "sgd", 100),
    ("recommender", "float32", "adagrad", 4096),
    ("wide_mlp", "float32", "adafactor", 5000),
    ("wide_mlp", "mixed_bfloat16", "adam", 10000),
    ("sampled_autoencoder", "float32", "adam", 150),
]

XLA_ROWS = [
    ("elu_cnn", "float32", "adam", 200),
    ("elu_cnn", "mixed_float16", "sgd_momentum", 300),
    ("unet_upsampling", "float32", "adam", 37),
    ("depthwise_gates", "float32", "adamw", 90),
    ("sensor_conv1d", "float32", "rmsprop", 100),
    ("token_classifier", "mixed_bfloat16", "adam", 100),
    ("recommender", "float32", "adam", 4096),
    ("wide_mlp", "float32", "adam", 5000),
    ("sampled_autoencoder", "float32", "adam", 150),
]
