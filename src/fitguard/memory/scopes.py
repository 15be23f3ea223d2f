"""Which layer an operation belongs to, told from the name that TensorFlow gave it."""

import re
from collections.abc import Iterable
from typing import Any

from fitguard.schema.plan import Phase

_SUFFIX = re.compile(r"_\d+$")


class Scopes:
    """The layers of a model by the scopes of its operations.

    Args:
        model: None where the step has none: then all belongs to no layer.
        scopes: Of all operations of the step: `gradient_tape/model_1/dense_1/MatMul`.
    """

    def __init__(self, model: Any, scopes: Iterable[str]) -> None:
        self.kinds: dict[str, str] = {}
        self._owners: dict[tuple[str, ...], str] = {}
        self._model = getattr(model, "name", "")
        self._optimizers = _optimizer_names(model)
        if model is not None:
            self._learn(model, {self._path(scope) for scope in scopes}, ())

    def layer(self, scope: str) -> str:
        """The layer of the model, or of a model inside it; empty for none."""
        path = self._path(scope)
        starts = (path[:length] for length in range(1, len(path) + 1))
        return next((self._owners[start] for start in starts if start in self._owners), "")

    def phase(self, scope: str) -> Phase:
        head = _SUFFIX.sub("", scope.split("/", 1)[0]).lower()
        if head in ("gradient_tape", "addn"):
            return "backward"
        return "update" if head in self._optimizers else "forward"

    def _path(self, scope: str) -> tuple[str, ...]:
        """The scopes inside the model, without the operation's own name."""
        path = tuple(scope.split("/")[:-1])
        if path and path[0] == "gradient_tape":
            path = path[1:]
        return path[1:] if path and _candidates(path[0], {self._model}) else path

    def _learn(self, container: Any, paths: set[tuple[str, ...]], above: tuple[str, ...]) -> None:
        """Find the layers of a model, and of the models inside it."""
        layers = {layer.name: layer for layer in container.layers}
        for part, name in _owners({path[0] for path in paths if path}, set(layers)).items():
            if getattr(layers[name], "layers", None):
                inner = {path[1:] for path in paths if path and path[0] == part}
                self._learn(layers[name], inner, (*above, part))
            else:
                self._owners[(*above, part)] = name
                self.kinds[name] = type(layers[name]).__name__


def _optimizer_names(model: Any) -> set[str]:
    """Of the optimizer, and of the one inside it."""
    names = set()
    optimizer = getattr(model, "optimizer", None)
    while optimizer is not None:
        names.add(_SUFFIX.sub("", str(getattr(optimizer, "name", "")).lower()))
        optimizer = getattr(optimizer, "inner_optimizer", None)
    return names


def _owners(parts: set[str], names: set[str]) -> dict[str, str]:
    """The layer that each scope stands for.

    TensorFlow adds a number to a scope that it has seen before, so `dense_1` may be the layer
    `dense_1` or a later scope of the layer `dense`: a layer that would get no scope at all is the
    likelier owner.
    """
    candidates = {part: _candidates(part, names) for part in sorted(parts)}
    owners = {part: found[0] for part, found in candidates.items() if len(found) == 1}
    for part, found in candidates.items():
        if len(found) > 1:
            taken = set(owners.values())
            owners[part] = next((name for name in reversed(found) if name not in taken), found[0])
    return owners


def _candidates(part: str, names: set[str]) -> list[str]:
    """The layers that this scope may stand for, the exact name first."""
    return [name for name in dict.fromkeys((part, _SUFFIX.sub("", part))) if name in names]
