"""Which Keras a model is of; a clear error for what is no model."""

import inspect
import sys
from typing import Any

from fitguard.contract.libraries import Library, library_of, package_of
from fitguard.inputs.models.asking import ask
from fitguard.schema.exit_codes import UsageError

_EXPECTED = (
    "Expected a model of Keras 3 on the TensorFlow backend, or of Keras 2 (tf_keras, or keras up "
    "to 2.15): {asker}(model, x, y)."
)


def recognise(model: Any, asker: str = "check_data") -> Library:
    """The library of a model.

    Args:
        asker: The function that was given the model; messages name it.

    Raises:
        UsageError: It is no model that `fit` could be called on here.
    """
    if isinstance(model, type):
        raise UsageError(_explain_class(model, asker))
    library = library_of(model, "Model")
    if library is None:
        raise UsageError(
            f"Received {_explain_refusal(model, asker)} {_EXPECTED.format(asker=asker)}"
        )
    if library.generation == 3:
        backend = ask(lambda: str(sys.modules["keras"].backend.backend()), "tensorflow")
        require_tensorflow(backend, asker)
    return library


def require_tensorflow(backend: str, asker: str = "check_data") -> None:
    """Refuse Keras 3 on another backend.

    Raises:
        UsageError: It computes with something else.
    """
    if backend != "tensorflow":
        raise UsageError(
            f"Received a Keras model on the {backend} backend. {_EXPECTED.format(asker=asker)} Set "
            "KERAS_BACKEND=tensorflow before keras is imported."
        )


def require_outside_of_functions(asker: str = "check_data") -> None:
    """Refuse to run while TensorFlow traces a function.

    Raises:
        UsageError: It does.
    """
    tensorflow = sys.modules.get("tensorflow")
    inside = ask(lambda: tensorflow.inside_function(), False) if tensorflow else False
    if inside:
        raise UsageError(
            f"Received a call of {asker} inside of a tf.function, where data have no values. "
            "Expected it before training, outside of all functions."
        )


def _explain_class(cls: type, asker: str) -> str:
    if library_of(cls, "Model"):
        return (
            f"Received the class {cls.__name__} as model. Expected an instance of it: "
            f"{cls.__name__}(...)."
        )
    name = f"{cls.__module__}.{cls.__qualname__}"
    return f"Received the class {name} as model. {_EXPECTED.format(asker=asker)}"


def _explain_refusal(received: Any, asker: str) -> str:
    cls = type(received)
    name = f"{cls.__module__}.{cls.__qualname__}".removeprefix("builtins.")
    bases = {(package_of(base), base.__name__) for base in cls.__mro__}
    if received is None:
        return "None as model. A function that builds a model must return it."
    if inspect.isroutine(received):
        return f"a function as model. Call it: {asker}({received.__name__}(), x, y)."
    if isinstance(received, str):
        return "a text as model. Load a saved model with keras.models.load_model first."
    if ("torch", "Module") in bases:
        return f"a PyTorch module ({name}) as model."
    if library_of(cls, "Layer"):
        return f"a layer ({name}) as model. Put it into one: keras.Sequential([...])."
    if _is_data(received):
        return f"data ({name}) as model. The model comes first."
    return f"an object of type {name} as model."


def _is_data(received: Any) -> bool:
    return (
        isinstance(received, list | tuple | dict)
        or ask(lambda: received.shape is not None, False)
        or ask(lambda: received.element_spec is not None, False)
    )
