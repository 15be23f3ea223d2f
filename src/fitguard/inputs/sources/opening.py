"""Finds the reader for what stands for x."""

import inspect
from typing import Any

import msgspec

from fitguard.contract.libraries import Library
from fitguard.contract.random_state import keeping_random_state
from fitguard.inputs.sources.array_source import ArraySource
from fitguard.inputs.sources.dataset_source import DatasetSource
from fitguard.inputs.sources.error_words import in_one_line
from fitguard.inputs.sources.kinds import descends, kind_of, require_arrays
from fitguard.inputs.sources.source import Context, Readable, Seen
from fitguard.inputs.sources.stream_source import GeneratorSource, PyDatasetSource
from fitguard.inputs.sources.structure import Element, unpack_element
from fitguard.schema.data import Source
from fitguard.schema.exit_codes import UsageError


def open_data(element: Element, context: Context) -> Readable:
    """The data of a split, ready to be read.

    Raises:
        UsageError: for what `fit` does not take.
    """
    kind = kind_of(element.x)
    if kind == "arrays":
        for role, part in element.parts():
            require_arrays(part, role)
        return ArraySource(element, context)
    extra = [role for role, _ in element.parts() if role != "x"]
    if extra:
        raise UsageError(
            f"Received {' and '.join(extra)} beside a {type(element.x).__name__}. Expected them in "
            "what it yields: (x, y) or (x, y, sample_weight)"
        )
    if kind == "factory":
        return FactorySource(element.x, context)
    if kind == "foreign":
        return UnreadSource(element.x, context)
    if kind == "pydataset":
        _require_same_library(element.x, context)
        return PyDatasetSource(element.x, context)
    if kind == "generator":
        return GeneratorSource(element.x, context)
    return DatasetSource(element.x, context)


def _require_same_library(dataset: Any, context: Context) -> None:
    """Refuse a PyDataset of Keras 3 for a model of Keras 2, and the reverse, as `fit` does."""
    library = Library.parse(context.model.library)
    package, wanted = library.package, "PyDataset" if library.generation == 3 else "Sequence"
    if not descends(dataset, package, wanted):
        raise UsageError(
            f"Received a {type(dataset).__name__} of another Keras than the model's, which is "
            f"{package}. Expected a subclass of {package}.utils.{wanted}"
        )


class FactorySource:
    """A function that makes the data anew at each call: reading takes nothing away."""

    def __init__(self, factory: Any, context: Context) -> None:
        self._factory = factory
        self._context = context

    def read(self, deadline: float | None) -> Seen:
        """Call the function, and read what it made."""
        with keeping_random_state():
            seen = open_data(self._call_factory(), self._context).read(deadline)
        return seen._replace(source=msgspec.structs.replace(seen.source, handed_back=False))

    def hand_back(self) -> Any:
        """The function."""
        return self._factory

    def _call_factory(self) -> Element:
        name = getattr(self._factory, "__name__", type(self._factory).__name__)
        try:
            made = self._factory()
        except Exception as error:  # whatever the user's code raises
            raise UsageError(
                f"Received the function {name}, which raises {in_one_line(error)}. Expected one "
                "that returns the data for `fit` when it is called without arguments"
            ) from error
        try:
            element = unpack_element(made) if isinstance(made, tuple) else Element(made)
        except ValueError as error:
            raise UsageError(f"The function {name}: {error}") from None
        if element.x is None or inspect.isroutine(element.x):
            received = "nothing" if element.x is None else "a function"
            raise UsageError(
                f"Received the function {name}, which returns {received}. Expected one that "
                "returns the data for `fit`"
            )
        return element


class UnreadSource:
    """Data of another library that `fit` takes, and that cannot be read without a trace."""

    def __init__(self, stream: Any, context: Context) -> None:
        self._stream = stream
        self._context = context

    def read(self, deadline: float | None) -> Seen:  # noqa: ARG002
        """Nothing."""
        name = f"{type(self._stream).__module__.split('.')[0]}.{type(self._stream).__name__}"
        unread = f"a {name} draws its order when it is read"
        source = Source(
            split=self._context.split, kind="generator", container=name, unread=unread, batched=True
        )
        return Seen(source, ())

    def hand_back(self) -> Any:
        """The stream itself."""
        return self._stream
