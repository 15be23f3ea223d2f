"""Notes what `compile` is given: without a GPU, and before training, the model does not tell."""

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
        self._compiled: list[tuple[Any, dict[str, Any]]] = []

    def wraps(self) -> Wraps:
        """What is put around Keras."""
        return {Role.COMPILE: self._compiling}

    def jit_compile(self, model: Any) -> Any:
        """What `compile` was given last for a model; "auto" where nothing."""
        given = self._last(model).get("jit_compile")
        return "auto" if given is None else given

    def metrics(self, model: Any) -> list[str]:
        """The names that `evaluate` would give: the loss, and the metrics in their order.

        Empty where the model was not compiled.
        """
        given = self._last(model)
        metrics = [*_leaves(given.get("metrics")), *_leaves(given.get("weighted_metrics"))]
        return ["loss", *map(_name, metrics)] if given else []

    def _last(self, model: Any) -> dict[str, Any]:
        given = [arguments for compiled, arguments in self._compiled if compiled is model]
        return given[-1] if given else {}

    def _compiling(self, original: Callable[..., Any], _: Library) -> Callable[..., Any]:
        @functools.wraps(original)
        def compile(model: Any, *args: Any, **kwargs: Any) -> Any:
            bound = inspect.signature(original).bind(model, *args, **kwargs)
            self._compiled.append((model, dict(bound.arguments)))
            return original(model, *args, **kwargs)

        return compile


def _leaves(given: Any) -> list[Any]:
    if isinstance(given, dict):
        given = list(given.values())
    if isinstance(given, list | tuple):
        return [leaf for one in given for leaf in _leaves(one)]
    return [] if given is None else [given]


def _name(metric: Any) -> str:
    return str(getattr(metric, "name", getattr(metric, "__name__", metric)))
