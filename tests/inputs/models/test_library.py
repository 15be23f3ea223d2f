"""What is no model at all gets a message that says what to do."""

import numpy as np
import pytest

from fitguard.inputs.models import describe
from fitguard.inputs.models.library import require_tensorflow
from fitguard.schema.exit_codes import UsageError


def build_model():
    raise AssertionError("describe must not call it")


@pytest.mark.parametrize(
    ("received", "says"),
    [
        (None, "Received None as model"),
        (np.zeros((3, 2)), "Received data (numpy.ndarray) as model. The model comes first"),
        ([1, 2], "Received data (list) as model"),
        (({}, 1), "Received data (tuple) as model"),
        ("model.keras", "load_model"),
        (build_model, "check_data(build_model(), x, y)"),
        (object(), "an object of type object"),
        (3, "an object of type int"),
    ],
    ids=["None", "array", "list", "tuple", "path", "function", "object", "number"],
)
def test_no_model(received, says):
    with pytest.raises(UsageError) as caught:
        describe(received)
    assert says in str(caught.value)
    assert "Expected a model of Keras 3 on the TensorFlow backend" in str(caught.value)


def test_classes_layers_and_datasets(library):
    import tensorflow as tf

    class Mine(library.Model):
        pass

    with pytest.raises(UsageError, match=r"the class Mine as model. Expected an instance"):
        describe(Mine)
    with pytest.raises(UsageError, match=r"Received the class builtins.int as model"):
        describe(int)
    with pytest.raises(UsageError, match=r"Received a layer .*Sequential"):
        describe(library.layers.Dense(1))
    with pytest.raises(UsageError, match=r"Received data .*Dataset"):
        describe(tf.data.Dataset.range(3))


def test_a_module_of_pytorch():
    module = type("Module", (), {"__module__": "torch.nn.modules.module"})
    with pytest.raises(UsageError, match="PyTorch module"):
        describe(type("Net", (module,), {})())


def test_another_backend_is_refused():
    require_tensorflow("tensorflow")
    with pytest.raises(UsageError, match=r"Received a Keras model on the jax backend.*Expected"):
        require_tensorflow("jax")
