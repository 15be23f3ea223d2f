"""Whether a model scales its input before its first weights."""

import pytest

from fitguard.inputs.models import describe

SCALED = {
    "Rescaling": lambda k, x: k.Rescaling(1 / 255)(x),
    "behind augmentation": lambda k, x: k.Rescaling(1 / 255)(k.RandomFlip()(x)),
    "Normalization": lambda k, x: k.Normalization(mean=0.0, variance=1.0)(x),
    "BatchNormalization": lambda k, x: k.BatchNormalization()(x),
    "LayerNormalization": lambda k, x: k.LayerNormalization()(x),
    "a division": lambda _, x: x / 255.0,
    "a product, shifted": lambda _, x: x * (2 / 255) - 1.0,
    "a dividing Lambda": lambda k, x: k.Lambda(lambda value: value / 255.0)(x),
    "tanh": lambda k, x: k.Activation("tanh")(x),
}
NOT_SCALED = {
    "nothing": lambda _, x: x,
    "Dropout": lambda k, x: k.Dropout(0.5)(x),
    "ZeroPadding2D": lambda k, x: k.ZeroPadding2D()(x),
    "pooling": lambda k, x: k.MaxPooling2D()(x),
}
UNCLEAR = {
    "a mean is subtracted": lambda _, x: x - 127.5,
    "a Lambda that calls": lambda k, x: k.Lambda(abs)(x),
    "one way scaled, one not": lambda k, x: k.Concatenate()(
        [k.Rescaling(1 / 255)(x), k.Conv2D(3, 1)(x)]
    ),
}
CASES = [
    *((True, name, way) for name, way in SCALED.items()),
    *((False, name, way) for name, way in NOT_SCALED.items()),
    *((None, name, way) for name, way in UNCLEAR.items()),
]


@pytest.mark.parametrize("case", CASES, ids=[name for _, name, _ in CASES])
def test_rescaled(library, case):
    expected, _, way = case
    image = library.Input((8, 8, 3))
    model = library.Model(image, library.layers.Conv2D(2, 3)(way(library.layers, image)))
    assert describe(model).inputs[0].rescaled is expected


def test_a_users_own_layer_may_do_anything(library):
    class Own(library.layers.Layer):
        def call(self, x):
            return x

    image = library.Input((4,))
    model = library.Model(image, library.layers.Dense(2)(Own(name="own")(image)))
    found = describe(model).inputs[0]
    assert (found.rescaled, found.reader) == (None, "own")


@pytest.mark.parametrize(
    ("name", "settings", "expected"),
    [
        ("MobileNetV2", {"input_shape": (32, 32, 3)}, False),
        ("MobileNetV3Small", {"input_shape": (32, 32, 3)}, True),
        ("EfficientNetB0", {"input_shape": (32, 32, 3), "classes": 5}, True),
    ],
)
def test_what_keras_applications_have_inside(library, name, settings, expected):
    backbone = getattr(library.applications, name)(weights=None, **settings)
    facts = describe(backbone)
    assert facts.inputs[0].rescaled is expected
    assert facts.outputs[0].activation == "softmax"
    assert len(facts.batch_statistics) > 20
    image = library.Input((32, 32, 3), name="photo")
    nested = describe(library.Model(image, backbone(image, training=False)))
    assert nested.inputs[0].rescaled is expected
    assert nested.outputs[0].activation == "softmax"
    assert nested.batch_statistics == ()
