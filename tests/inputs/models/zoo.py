"""Models as people write them, each built with the library it is given. All are tiny."""

from types import ModuleType
from typing import Any

VOCABULARY, LONGEST = 50, 12


def text_classifier(keras: ModuleType, **lstm: Any) -> Any:
    """Embedding with a mask, a bidirectional LSTM, one probability."""
    layers = keras.layers
    return keras.Sequential(
        [
            keras.Input((None,), dtype="int32", name="tokens"),
            layers.Embedding(VOCABULARY, 4, mask_zero=True, name="words"),
            layers.Bidirectional(layers.LSTM(3, return_sequences=True, **lstm), name="both"),
            layers.GRU(3, name="last"),
            layers.Dense(1, activation="sigmoid", name="probability"),
        ]
    )


def two_by_two(keras: ModuleType, shape: str) -> Any:
    """Two inputs and two outputs, given as a list or as dicts."""
    layers = keras.layers
    image = keras.Input((8, 8, 3), name="image")
    city = keras.Input((1,), dtype="int32", name="city")
    seen = layers.GlobalAveragePooling2D()(layers.Conv2D(2, 3, name="eye")(image))
    known = layers.Flatten()(layers.Embedding(9, 2, name="cities")(city))
    both = layers.Concatenate()([seen, known])
    price = layers.Dense(1, name="price_head")(both)
    sort = layers.Dense(4, activation="softmax", name="sort_head")(both)
    if shape == "list":
        return keras.Model([image, city], [price, sort])
    return keras.Model({"image": image, "city": city}, {"price": price, "sort": sort})


def transformer(keras: ModuleType) -> Any:
    """The text classifier of keras.io, with its own two layers."""
    layers = keras.layers

    class TokenAndPositionEmbedding(layers.Layer):
        def __init__(self) -> None:
            super().__init__(name="embed")
            self.token_emb = layers.Embedding(VOCABULARY, 4)
            self.pos_emb = layers.Embedding(LONGEST, 4)

        def call(self, x: Any) -> Any:
            import tensorflow as tf

            return self.token_emb(x) + self.pos_emb(tf.range(tf.shape(x)[-1]))

    class TransformerBlock(layers.Layer):
        def __init__(self) -> None:
            super().__init__(name="block")
            self.att = layers.MultiHeadAttention(num_heads=2, key_dim=2)
            self.norm = layers.LayerNormalization(epsilon=1e-6)
            self.dropout = layers.Dropout(0.1)

        def call(self, inputs: Any, training: Any = None) -> Any:
            return self.norm(inputs + self.dropout(self.att(inputs, inputs), training=training))

    inputs = keras.Input((LONGEST,), name="tokens")
    x = TransformerBlock()(TokenAndPositionEmbedding()(inputs))
    x = layers.Dropout(0.1)(layers.GlobalAveragePooling1D()(x))
    return keras.Model(inputs, layers.Dense(2, activation="softmax")(x))


def u_net(keras: ModuleType, classes: int = 3) -> Any:
    """One level deep, with a skip connection; scores for each pixel."""
    layers = keras.layers
    inputs = keras.Input((None, None, 1), name="picture")
    down = layers.Conv2D(2, 3, padding="same", activation="relu")(layers.Rescaling(1 / 255)(inputs))
    deep = layers.Conv2D(2, 3, padding="same")(layers.MaxPooling2D()(down))
    deep = layers.Activation("relu")(layers.BatchNormalization(name="norm")(deep))
    up = layers.Conv2DTranspose(2, 2, strides=2)(deep)
    joined = layers.Concatenate()([up, down])
    return keras.Model(inputs, layers.Conv2D(classes, 1, activation="softmax", name="mask")(joined))


def gan(keras: ModuleType) -> Any:
    """A subclassed model with a step of its own."""

    class Gan(keras.Model):  # type: ignore[misc,name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.generator = keras.Sequential([keras.Input((2,)), keras.layers.Dense(3)])
            self.discriminator = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])

        def compile(self, d_optimizer: Any, g_optimizer: Any, loss_fn: Any) -> None:
            super().compile()
            self.d_optimizer, self.g_optimizer, self.loss_fn = d_optimizer, g_optimizer, loss_fn

        def train_step(self, real: Any) -> dict[str, Any]:
            return {"loss": self.loss_fn(real, self.discriminator(self.generator(real)))}

    model = Gan()
    losses = keras.losses.BinaryCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(), keras.optimizers.Adam(), losses)
    return model


def own_model(keras: ModuleType) -> Any:
    """A subclassed classifier, not built."""

    class Own(keras.Model):  # type: ignore[misc,name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.hidden = keras.layers.Dense(3, activation="relu")
            self.drop = keras.layers.Dropout(0.5)
            self.scores = keras.layers.Dense(2)

        def call(self, inputs: Any, training: Any = None) -> Any:
            return self.scores(self.drop(self.hidden(inputs), training=training))

    return Own()
