"""Strange layers never break the description: what they hide is unknown."""

from fitguard.inputs.models import describe


def test_properties_that_raise(library):
    class Broken(library.layers.Layer):
        broken = False

        @property
        def weights(self):
            return self.fail() or super().weights

        @property
        def compute_dtype(self):
            return self.fail() or super().compute_dtype

        def fail(self):
            if self.broken:
                raise RuntimeError("not yours")

        def call(self, x):
            return x

    x = library.Input((4,), name="given")
    model = library.Model(x, Broken(name="odd")(x))
    model.compile("sgd", "mse")
    Broken.broken = True
    facts = describe(model)
    assert (facts.inputs[0].name, facts.inputs[0].reader) == ("given", "odd")
    assert (facts.inputs[0].rescaled, facts.outputs[0].activation) == (None, None)
    assert (facts.weights, facts.compiled) == (None, True)


def test_a_model_whose_loss_is_no_loss(library):
    x = library.Input((4,))
    model = library.Model(x, library.layers.Dense(1)(x))
    model.compile("sgd", "mse")
    model.loss = object()
    assert describe(model).outputs[0].loss.custom


def test_a_dense_of_the_users_own(library):
    class Same(library.layers.Dense):
        pass

    class Other(library.layers.Dense):
        def call(self, x):
            return super().call(x) * 2

    x = library.Input((4,))
    found = describe(library.Model(x, [Same(1, activation="relu")(x), Other(1)(x)])).outputs
    assert [one.activation for one in found] == ["relu", None]


def test_models_in_models(library):
    layers = library.layers
    inner = library.Sequential([layers.Dense(3), layers.Dense(2, activation="softmax")])
    middle_in = library.Input((4,))
    middle = library.Model(middle_in, inner(middle_in))
    outer = library.Sequential([library.Input((4,)), layers.Rescaling(0.5), middle])
    facts = describe(outer)
    assert facts.inputs[0].rescaled is True
    assert facts.outputs[0].activation == "softmax"


def test_a_subclassed_model_as_a_layer_stays_closed(library):
    class Inner(library.Model):
        def __init__(self):
            super().__init__(name="inner")
            self.dense = library.layers.Dense(2, activation="softmax")

        def call(self, x):
            return self.dense(x)

    x = library.Input((4,))
    facts = describe(library.Model(x, Inner()(x)))
    assert facts.inputs[0].rescaled is None
    assert (facts.outputs[0].layer, facts.outputs[0].activation) == ("inner", None)
    assert facts.outputs[0].shape == (None, 2)


def test_a_functional_model_with_a_call_of_its_own(library):
    class Odd(library.Model):
        def __init__(self):
            x = library.Input((4,), name="given")
            super().__init__(x, library.layers.Dense(2, activation="softmax")(x))

        def call(self, x, training=None, mask=None):
            return super().call(x, training=training, mask=mask) * 2.0

    facts = describe(Odd())
    assert facts.inputs[0].name == "given"
    assert facts.outputs[0].activation is None


def test_no_layers_at_all(library):
    facts = describe(library.Sequential())
    assert (facts.kind, facts.built) == ("sequential", False)
    x = library.Input((4,), name="same")
    assert describe(library.Model(x, x)).inputs[0].reader is None
