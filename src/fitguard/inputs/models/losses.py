"""The losses that `compile` was given, by output."""

import functools
import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from fitguard.contract.compiling import loss_arguments
from fitguard.contract.libraries import is_of_keras, library_of
from fitguard.inputs.models.activations import snake_case
from fitguard.inputs.models.asking import ask, trait
from fitguard.inputs.models.kinds import split_names
from fitguard.schema.model import Loss

_NAMES = split_names(
    """
    binary_crossentropy binary_focal_crossentropy categorical_crossentropy
    categorical_focal_crossentropy sparse_categorical_crossentropy kl_divergence poisson
    mean_squared_error mean_absolute_error mean_absolute_percentage_error
    mean_squared_logarithmic_error cosine_similarity log_cosh huber hinge squared_hinge
    categorical_hinge dice tversky circle ctc
    """
)
_ALIASES = {
    "bce": "binary_crossentropy",
    "kld": "kl_divergence",
    "kullback_leibler_divergence": "kl_divergence",
    "logcosh": "log_cosh",
    "huber_loss": "huber",
    "cosine_proximity": "cosine_similarity",
    "mae": "mean_absolute_error",
    "mape": "mean_absolute_percentage_error",
    "mse": "mean_squared_error",
    "msle": "mean_squared_logarithmic_error",
}
_TAKES_LOGITS = split_names(
    """
    binary_crossentropy binary_focal_crossentropy categorical_crossentropy
    categorical_focal_crossentropy sparse_categorical_crossentropy
    """
)


def losses_by_output(given: Any, outputs: Sequence[str]) -> list[Loss | None]:
    """What `compile(loss=...)` means for each output: one for all, a list, or a dict by name."""
    if _is_nothing(given):
        return [None] * len(outputs)
    if isinstance(given, Mapping):
        return [_read_first(given.get(name)) for name in outputs]
    if isinstance(given, list | tuple):
        if len(outputs) == 1:
            return [_read_first(given)]
        return (
            [_read_first(one) for one in given]
            if len(given) == len(outputs)
            else [None] * len(outputs)
        )
    return [read_loss(given)] * len(outputs)


def names_in_losses(given: Any) -> list[str]:
    """The outputs of which the losses tell, for a model that does not: one where there is one."""
    if isinstance(given, Mapping):
        return [str(name) for name in given]
    if isinstance(given, list | tuple) and len(given) > 1:
        return [f"output_{place + 1}" for place in range(len(given))]
    return [] if _is_nothing(given) else ["output"]


def _is_nothing(given: Any) -> bool:
    return given is None or (isinstance(given, Mapping | list | tuple) and not given)


def _read_first(given: Any) -> Loss | None:
    """Keras takes the first of several losses for one output."""
    if isinstance(given, list | tuple):
        given = given[0] if given else None
    return None if given is None else read_loss(given)


def read_loss(loss: Any) -> Loss:
    """One loss: a name, a function, a `Loss` object, or its class."""
    if isinstance(loss, str):
        return _find_keras_loss(loss, {}) or Loss(name=loss, custom=True)
    if isinstance(loss, functools.partial):
        return _read_partial(loss)
    if isinstance(loss, type):
        return _read_class(loss, {})
    if inspect.isroutine(loss):
        return _read_function(loss, {})
    wrapped = trait(loss, "fn")
    settings: dict[str, Any] = ask(lambda: loss_arguments(loss), {})
    if type(loss).__name__ == "LossFunctionWrapper" and wrapped is not None:
        return _read_function(wrapped, settings)
    return _read_class(type(loss), settings)


def _read_partial(loss: "functools.partial[Any]") -> Loss:
    inner = read_loss(loss.func)
    return _find_keras_loss(inner.name, loss.keywords) or inner if not inner.custom else inner


def _read_class(cls: type, settings: dict[str, Any]) -> Loss:
    known = _find_keras_loss(cls.__name__, settings) if is_of_keras(cls) else None
    return known or Loss(
        name=cls.__name__,
        custom=True,
        from_logits=_flag(settings),
        unmatched=_has_own_call(cls),
    )


def _has_own_call(cls: type) -> bool:
    """Whether it is a Loss of Keras 3 with a `call` of the user's own."""
    caller = next((base for base in cls.__mro__ if "call" in vars(base)), cls)
    library = library_of(cls, "Loss")
    return library is not None and library.generation == 3 and not is_of_keras(caller)


def _read_function(function: Any, settings: dict[str, Any]) -> Loss:
    name = str(getattr(function, "__name__", type(function).__name__))
    known = _find_keras_loss(name, settings) if is_of_keras(function) else None
    return known or Loss(name=name, custom=True)


def _find_keras_loss(name: str, settings: Mapping[str, Any]) -> Loss | None:
    """A loss of Keras by any of its names; None where it is none."""
    plain = snake_case(name)
    plain = _ALIASES.get(plain, plain)
    if plain not in _NAMES:
        return None
    ignored = settings.get("ignore_class")
    return Loss(
        name=plain,
        from_logits=bool(_flag(settings)) if plain in _TAKES_LOGITS else None,
        ignore_class=ask(lambda: int(ignored), None) if ignored is not None else None,
    )


def _flag(settings: Mapping[str, Any]) -> bool | None:
    flag = settings.get("from_logits")
    return None if flag is None else bool(flag)
