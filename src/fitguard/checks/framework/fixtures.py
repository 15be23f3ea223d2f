"""The facts that a check can ask for by parameter name.

A fact that is missing raises `Missing` with the reason, and the check is skipped, unless its
parameter has the default None: then it gets None.
"""

import difflib
import importlib
import inspect
import pkgutil
from collections.abc import Callable, Collection
from typing import Any, TypeVar

from fitguard.knowledge import Knowledge
from fitguard.knowledge.tensorflow import Release
from fitguard.schema.facts import Facts
from fitguard.schema.hardware import Gpu
from fitguard.schema.software import (
    DeepImport,
    Package,
    Packages,
    TensorFlow,
)

T = TypeVar("T")


class Missing(Exception):
    """A fact that a check needs is not there; the message is the reason for the skip."""


# Facts that a check gets as they were gathered, and how a skip names one that is not known.
_GIVEN = {
    "python": "the Python version",
    "platform": "the operating system",
    "packages": "what is installed",
    "libraries": "which CUDA libraries are there",
    "driver": "the GPU driver",
    "container": "whether this is a container",
    "cpu": "the processor",
    "host": "the host's memory",
    "environment": "what the environment variables hold",
    "cluster": "whether other processes train along",
    "gpu_links": "how the GPUs reach each other",
}
# Packages that a check can ask for by name.
_PACKAGES = ("keras", "tf_keras", "numpy", "protobuf")
OF_MACHINE = ("facts", "knowledge", *_GIVEN, *_PACKAGES)
"""What is there from the start for a check of the machine; fixtures come on top."""
OF_DATA = ("data", "training", "host")
"""The same for a check of data."""

_DERIVED = ("fitguard.checks.derived", "fitguard.checks.data.derived")
_fixtures: dict[str, tuple[Callable[..., Any], dict[str, bool]]] = {}


def needs(function: Callable[..., Any]) -> dict[str, bool]:
    """The facts that a function asks for by parameter name, and whether it must have each.

    A parameter with the default None gets None where its fact is missing.
    """
    parameters = inspect.signature(function).parameters
    return {name: parameter.default is not None for name, parameter in parameters.items()}


def require_facts(function: Callable[..., Any], given: Collection[str]) -> None:
    """See that all parameters are facts, and those of the fixtures behind them.

    Raises:
        ValueError: for one that is no fact; a check that asks for it would never be made.
    """
    for name in needs(function):
        if name in given:
            continue
        if name not in _fixtures:
            _import_derived()
        if name not in _fixtures:
            known = sorted({*given, *_fixtures})
            close = difflib.get_close_matches(name, known, n=1)
            hint = f" Did you mean {close[0]}?" if close else ""
            raise ValueError(
                f"Received the parameter {name!r} of {function.__name__}, which is no fact.{hint} "
                f"Expected one of: {', '.join(known)}"
            )
        require_facts(_fixtures[name][0], given)


def _import_derived() -> None:
    """Load the fixtures that checks share."""
    for name in _DERIVED:
        for module in pkgutil.iter_modules(importlib.import_module(name).__path__):
            importlib.import_module(f"{name}.{module.name}")


def fixture(function: Callable[..., Any]) -> Callable[..., Any]:
    """Make a function's result available to checks under its name."""
    _fixtures[function.__name__] = function, needs(function)
    return function


class Resolver:
    """Gives facts by name and remembers them, the missing ones too.

    Args:
        known: Facts that are there from the start.
    """

    def __init__(self, known: dict[str, Any]) -> None:
        self._known = known

    def call(self, function: Callable[..., Any], needed: dict[str, bool]) -> Any:
        """What a function makes of the facts it asks for.

        Raises:
            Missing: with the reason, where one that it must have is not there.
        """
        return function(**{name: self._give(name, must) for name, must in needed.items()})

    def _give(self, name: str, must: bool) -> Any:
        if name not in self._known:
            try:
                self._known[name] = self._resolve(name)
            except Missing as missing:
                self._known[name] = missing
        value = self._known[name]
        if not isinstance(value, Missing):
            return value
        if must:
            raise value
        return None

    def _resolve(self, name: str) -> Any:
        return self.call(*_fixtures[name])


class FactResolver(Resolver):
    """Facts of a machine."""

    def __init__(self, facts: Facts, knowledge: Knowledge) -> None:
        super().__init__({"facts": facts, "knowledge": knowledge})
        self._facts = facts

    def _resolve(self, name: str) -> Any:
        if name in _GIVEN:
            return _require_known(getattr(self._facts, name), _GIVEN[name])
        if name in _PACKAGES:
            return _package(self._give("packages", must=True), name.replace("_", "-"))
        return super()._resolve(name)


def _require_known(value: T | None, what: str) -> T:
    if value is None:
        raise Missing(f"{what} is not known")
    return value


def _package(packages: Packages, name: str) -> Package:
    found = packages.first(name)
    if found is None or found.version is None:
        raise Missing(f"{name} is not installed" if packages.complete else f"{name} is not known")
    return found


@fixture
def tensorflow(facts: Facts) -> TensorFlow:
    if facts.tensorflow is None and facts.packages is not None and facts.packages.complete:
        if facts.packages.unowned:
            raise Missing(f"nothing tells the version of {facts.packages.unowned}")
        raise Missing("TensorFlow is not installed")
    return _require_known(facts.tensorflow, "the TensorFlow version")


@fixture
def gpus(facts: Facts) -> tuple[Gpu, ...]:
    """At least one GPU."""
    found = _require_known(facts.gpus, "the GPU")
    if not found:
        raise Missing("there is no NVIDIA GPU that the driver shows")
    return found


@fixture
def deep(facts: Facts) -> DeepImport:
    if facts.deep is None:
        raise Missing("TensorFlow was not imported (--deep does)")
    return facts.deep


@fixture
def release(tensorflow: TensorFlow, knowledge: Knowledge) -> Release:
    found = knowledge.tensorflow.find(tensorflow.version)
    if found is None:
        newest = knowledge.tensorflow.newest.version
        raise Missing(f"the tables end at TensorFlow {newest} and lack {tensorflow.version}")
    return found
