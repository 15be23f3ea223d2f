"""How Keras names the user's classes in a config, and writes lambdas into it."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from fitguard.contract.libraries import Library
from fitguard.contract.replacing import replaced

_LAMBDAS = {2: "src.utils.generic_utils", 3: "src.utils.python_utils"}


def recording_names(
    library: Library, record: Callable[[str, Any], None]
) -> AbstractContextManager[None]:
    """Inside, `record` is told each class and function that a config names, with its name."""
    registering = library.module("src.saving.object_registration")
    usual = registering.get_registered_name

    def name(thing: Any) -> Any:
        found = usual(thing)
        record(str(found), thing)
        return found

    return replaced(registering, "get_registered_name", name)


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
