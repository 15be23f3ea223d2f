"""The losses that `compile` was given, by output."""

import functools
import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from fitguard.contract.compiling import loss_arguments
from fitguard.contract.libraries import is_of_keras, library_of
from fitguard.inputs.models.activations import snake_case
from fitguard.inputs.models.asking import told, trait
from fitguard.inputs.models.kinds import listed
from fitguard.schema.model import Loss

_NAMES = listed(
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
_TAKES_LOGITS = listed(
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
        return [_first(given.get(name)) for name in outputs]
    if isinstance(given, list | tuple):
        if len(outputs) == 1:
            return [_first(given)]
        return (
            [_first(one) for one in given] if len(given) == len(outputs) else [None] * len(outputs)
        )
    return [described(given)] * len(outputs)


def names_in_losses(given: Any) -> list[str]:
    """The outputs of which the losses tell, for a model that does not: one where there is one."""
    if isinstance(given, Mapping):
        return [str(name) for name in given]
    if isinstance(given, list | tuple) and len(given) > 1:
        return [f"output_{place + 1}" for place in range(len(given))]
    return [] if _is_nothing(given) else ["output"]


def _is_nothing(given: Any) -> bool:
    return given is None or (isinstance(given, Mapping | list | tuple) and not given)


def _first(given: Any) -> Loss | None:
    """Keras takes the first of several losses for one output."""
    if isinstance(given, list | tuple):
        given = given[0] if given else None
    return None if given is None else described(given)


def described(loss: Any) -> Loss:
    """One loss: a name, a function, a `Loss` object, or its class."""
    if isinstance(loss, str):
        return _known(loss, {}) or Loss(name=loss, custom=True)
    if isinstance(loss, functools.partial):
        return _partial(loss)
    if isinstance(loss, type):
        return _of_class(loss, {})
    if inspect.isroutine(loss):
        return _of_function(loss, {})
    wrapped = trait(loss, "fn")
    settings: dict[str, Any] = told(lambda: loss_arguments(loss), {})
    if type(loss).__name__ == "LossFunctionWrapper" and wrapped is not None:
        return _of_function(wrapped, settings)
    return _of_class(type(loss), settings)


def _partial(loss: "functools.partial[Any]") -> Loss:
    inner = described(loss.func)
    return _known(inner.name, loss.keywords) or inner if not inner.custom else inner


def _of_class(cls: type, settings: dict[str, Any]) -> Loss:
    known = _known(cls.__name__, settings) if is_of_keras(cls) else None
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


def _of_function(function: Any, settings: dict[str, Any]) -> Loss:
    name = str(getattr(function, "__name__", type(function).__name__))
    known = _known(name, settings) if is_of_keras(function) else None
    return known or Loss(name=name, custom=True)


def _known(name: str, settings: Mapping[str, Any]) -> Loss | None:
    """A loss of Keras by any of its names; None where it is none."""
    plain = snake_case(name)
    plain = _ALIASES.get(plain, plain)
    if plain not in _NAMES:
        return None
    ignored = settings.get("ignore_class")
    return Loss(
        name=plain,
        from_logits=bool(_flag(settings)) if plain in _TAKES_LOGITS else None,
        ignore_class=told(lambda: int(ignored), None) if ignored is not None else None,
    )


def _flag(settings: Mapping[str, Any]) -> bool | None:
    flag = settings.get("from_logits")
    return None if flag is None else bool(flag)
