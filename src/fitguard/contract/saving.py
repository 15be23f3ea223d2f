"""How Keras names the user's classes in a config, and writes lambdas into it."""

import functools
import types
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from fitguard.contract.hooks import Role
from fitguard.contract.libraries import Library, is_of_keras
from fitguard.contract.patching import patching
from fitguard.contract.verifying import require

Original = Callable[..., Any]


def recording_names(
    library: Library, record: Callable[[str, Any], None]
) -> AbstractContextManager[Any]:
    """Inside, `record` is told each class and function that a config names, with its name."""

    def naming(original: Original, _: Library) -> Original:
        @functools.wraps(original)
        def name(thing: Any) -> Any:
            found = original(thing)
            record(str(found), thing)
            return found

        return name

    def writing(original: Original, _: Library) -> Original:
        @functools.wraps(original)
        def config(thing: Any) -> Any:
            # Keras 2 and 3.0 do not ask for the names of functions.
            if isinstance(thing, types.FunctionType) and not is_of_keras(thing):
                record(thing.__name__, thing)
            return original(thing)

        return config

    require(library, Role.CONFIG_NAMES, Role.CONFIG_WRITES_FUNCTION)
    return patching({Role.CONFIG_NAMES: naming, Role.CONFIG_WRITES_FUNCTION: writing})


def writing_lambdas(library: Library, write: Callable[[Any], str]) -> AbstractContextManager[Any]:
    """Inside, `write` gives the text for a lambda, in place of its bytecode."""

    def dumping(original: Original, _: Library) -> Original:
        return functools.wraps(original)(lambda function: (write(function), None, None))

    require(library, Role.LAMBDA_WRITTEN)
    return patching({Role.LAMBDA_WRITTEN: dumping})


def reading_lambdas(library: Library, read: Callable[[str], Any]) -> AbstractContextManager[Any]:
    """Inside, `read` gives the lambda for a text; None for one that is Keras' own."""

    def loading(original: Original, _: Library) -> Original:
        @functools.wraps(original)
        def load(code: Any, *args: Any, **kwargs: Any) -> Any:
            text = code[0] if isinstance(code, list | tuple) else code
            found = read(text) if isinstance(text, str) else None
            return original(code, *args, **kwargs) if found is None else found

        return load

    require(library, Role.LAMBDA_READ)
    return patching({Role.LAMBDA_READ: loading})
