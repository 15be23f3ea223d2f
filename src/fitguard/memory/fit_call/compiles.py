"""Notes what `compile` is given for `jit_compile`: without a GPU the model itself does not tell."""

import functools
import inspect
from collections.abc import Callable
from typing import Any

from fitguard.contract.hooks import Role
from fitguard.contract.libraries import Library
from fitguard.contract.patching import Wraps


class Compiles:
    """The calls of `compile` while its methods are patched in."""

    def __init__(self) -> None:
        self._compiled: list[tuple[Any, Any]] = []

    def wraps(self) -> Wraps:
        """What is put around Keras."""
        return {Role.COMPILE: self._compiling}

    def jit_compile(self, model: Any) -> Any:
        """What `compile` was given last for a model; "auto" where nothing."""
        given = [value for compiled, value in self._compiled if compiled is model]
        return given[-1] if given and given[-1] is not None else "auto"

    def _compiling(self, original: Callable[..., Any], _: Library) -> Callable[..., Any]:
        @functools.wraps(original)
        def compile(model: Any, *args: Any, **kwargs: Any) -> Any:
            bound = inspect.signature(original).bind(model, *args, **kwargs)
            self._compiled.append((model, bound.arguments.get("jit_compile")))
            return original(model, *args, **kwargs)

        return compile
