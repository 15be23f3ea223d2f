"""How Keras names the user's classes in a config, and writes lambdas into it."""

import contextlib
import types
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

from fitguard.contract.libraries import Library, is_of_keras
from fitguard.contract.replacing import replaced

_LAMBDAS = {2: "src.utils.generic_utils", 3: "src.utils.python_utils"}


@contextlib.contextmanager
def recording_names(library: Library, record: Callable[[str, Any], None]) -> Iterator[None]:
    """Inside, `record` is told each class and function that a config names, with its name."""
    registering = library.module("src.saving.object_registration")
    serializing = library.module("src.saving.serialization_lib")
    usual_name = registering.get_registered_name
    usual_config = serializing._get_class_or_fn_config

    def name(thing: Any) -> Any:
        found = usual_name(thing)
        record(str(found), thing)
        return found

    def config(thing: Any) -> Any:
        # Keras 2 and 3.0 do not ask for the names of functions.
        if isinstance(thing, types.FunctionType) and not is_of_keras(thing):
            record(thing.__name__, thing)
        return usual_config(thing)

    with (
        replaced(registering, "get_registered_name", name),
        replaced(serializing, "_get_class_or_fn_config", config),
    ):
        yield


def writing_lambdas(library: Library, write: Callable[[Any], str]) -> AbstractContextManager[None]:
    """Inside, `write` gives the text for a lambda, in place of its bytecode."""
    functions = library.module(_LAMBDAS[library.generation])
    return replaced(functions, "func_dump", lambda function: (write(function), None, None))


def reading_lambdas(library: Library, read: Callable[[str], Any]) -> AbstractContextManager[None]:
    """Inside, `read` gives the lambda for a text; None for one that is Keras' own."""
    functions = library.module(_LAMBDAS[library.generation])
    usual = functions.func_load

    def load(code: Any, *args: Any, **kwargs: Any) -> Any:
        text = code[0] if isinstance(code, list | tuple) else code
        found = read(text) if isinstance(text, str) else None
        return usual(code, *args, **kwargs) if found is None else found

    return replaced(functions, "func_load", load)
