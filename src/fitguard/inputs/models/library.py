"""Which Keras a model is of; a clear error for what is no model."""

import inspect
import sys
from dataclasses import dataclass
from typing import Any

from fitguard.inputs.models.asking import told
from fitguard.schema.exit_codes import UsageError

ROOTS = ("keras", "tf_keras")
_EXPECTED = (
    "Expected a model of Keras 3 on the TensorFlow backend, or of tf_keras: {asker}(model, x, y)."
)


@dataclass(frozen=True)
class Library:
    """The package that a model's class comes from."""

    name: str
    version: str

    @property
    def three(self) -> bool:
        """Whether it is Keras 3; tf_keras, and keras before 3, are Keras 2."""
        return self.name == "keras" and not self.version.startswith(("1.", "2."))

    def __str__(self) -> str:
        return f"{self.name} {self.version}".strip()


def root(cls: type) -> str:
    """The package that a class is defined in."""
    return str(cls.__module__).partition(".")[0]


def recognise(model: Any, asker: str = "check_data") -> Library:
    """The library of a model.

    Args:
        asker: The function that was given the model; messages name it.

    Raises:
        UsageError: It is no model that `fit` could be called on here.
    """
    if isinstance(model, type):
        raise UsageError(_about_class(model, asker))
    name = _base(type(model), "Model")
    if name is None:
        raise UsageError(f"Received {_about(model, asker)} {_EXPECTED.format(asker=asker)}")
    library = Library(name, told(lambda: str(sys.modules[name].__version__), ""))
    if library.three:
        backend = told(lambda: str(sys.modules["keras"].backend.backend()), "tensorflow")
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
    inside = told(lambda: tensorflow.inside_function(), False) if tensorflow else False
    if inside:
        raise UsageError(
            f"Received a call of {asker} inside of a tf.function, where data have no values. "
            "Expected it before training, outside of all functions."
        )


def _base(cls: type, name: str) -> str | None:
    """The library that has a class of this name among the bases of `cls`."""
    for base in cls.__mro__:
        if base.__name__ == name and root(base) in ROOTS:
            return root(base)
    return None


def _about_class(cls: type, asker: str) -> str:
    if _base(cls, "Model"):
        return (
            f"Received the class {cls.__name__} as model. Expected an instance of it: "
            f"{cls.__name__}(...)."
        )
    name = f"{cls.__module__}.{cls.__qualname__}"
    return f"Received the class {name} as model. {_EXPECTED.format(asker=asker)}"


def _about(received: Any, asker: str) -> str:
    cls = type(received)
    name = f"{cls.__module__}.{cls.__qualname__}".removeprefix("builtins.")
    bases = {(root(base), base.__name__) for base in cls.__mro__}
    if received is None:
        return "None as model. A function that builds a model must return it."
    if inspect.isroutine(received):
        return f"a function as model. Call it: {asker}({received.__name__}(), x, y)."
    if isinstance(received, str):
        return "a text as model. Load a saved model with keras.models.load_model first."
    if ("torch", "Module") in bases:
        return f"a PyTorch module ({name}) as model."
    if _base(cls, "Layer"):
        return f"a layer ({name}) as model. Put it into one: keras.Sequential([...])."
    if _is_data(received):
        return f"data ({name}) as model. The model comes first."
    return f"an object of type {name} as model."


def _is_data(received: Any) -> bool:
    return (
        isinstance(received, list | tuple | dict)
        or told(lambda: received.shape is not None, False)
        or told(lambda: received.element_spec is not None, False)
    )
