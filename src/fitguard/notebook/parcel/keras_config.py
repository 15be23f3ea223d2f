"""Keras' own config of an object, with the code of the user's that it names."""

import inspect
import json
import warnings
from dataclasses import dataclass, field
from typing import Any

from fitguard.contract.libraries import Library, find_installed_library
from fitguard.contract.saving import reading_lambdas, recording_names, writing_lambdas
from fitguard.state.not_carried import NotCarried

_LAMBDA = "fitguard-lambda-"
_ALWAYS_WRITTEN = {"name", "trainable", "dtype"}


@dataclass
class Config:
    """What Keras wrote.

    Args:
        library: The package that wrote it.
        text: JSON.
        custom: Classes and functions of the user's, by the name that Keras knows them by.
        lambdas: In place of the bytecode that Keras would write.
    """

    library: str
    text: str = ""
    custom: dict[str, Any] = field(default_factory=dict)
    lambdas: list[Any] = field(default_factory=list)


def config_of(value: Any, library: Library, advice: str) -> Config:
    """The config of a model, layer, loss, …

    Raises:
        NotCarried: where Keras cannot write one.
    """
    config = Config(library.package)

    def record(name: str, thing: Any) -> None:
        if callable(thing) and thing.__module__ != "builtins":
            config.custom[name] = thing

    def write(function: Any) -> str:
        config.lambdas.append(function)
        return f"{_LAMBDA}{len(config.lambdas) - 1}"

    with (
        recording_names(library, record),
        writing_lambdas(library, write),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        try:
            written = library.module("saving").serialize_keras_object(value)
            _leave_out_unknown(written, config.custom)
            config.text = json.dumps(written)
        except (TypeError, ValueError, NotImplementedError, OSError) as error:
            first = str(error).strip().partition("\n")[0]
            raise NotCarried(f"Keras has no config of it ({first})", advice) from error
    return config


def _leave_out_unknown(written: Any, custom: dict[str, Any]) -> None:
    """Keras writes `trainable` and `dtype` even where an `__init__` of the user's takes neither."""
    for part in written.values() if isinstance(written, dict) else written:
        if isinstance(part, dict | list | tuple):
            _leave_out_unknown(part, custom)
    if not isinstance(written, dict) or not isinstance(written.get("config"), dict):
        return
    cls: Any = custom.get(str(written.get("registered_name")))
    if cls is None or inspect.isfunction(cls):
        return
    # Not the signature of the class: Keras' `__new__` takes anything.
    parameters = inspect.signature(cls.__init__).parameters
    if not any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
        for name in _ALWAYS_WRITTEN - parameters.keys():
            written["config"].pop(name, None)


def make_from_config(config: Config) -> Any:
    """The object again."""
    library = find_installed_library(config.library)

    def read(text: str) -> Any:
        if not text.startswith(_LAMBDA):
            return None
        return config.lambdas[int(text.removeprefix(_LAMBDA))]

    with reading_lambdas(library, read):
        return library.module("saving").deserialize_keras_object(
            json.loads(config.text), custom_objects=config.custom, safe_mode=False
        )
