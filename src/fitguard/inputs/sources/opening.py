"""Finds the reader for what stands for x."""

from typing import Any

import msgspec

from fitguard.inputs.random_state import keeping_random_state
from fitguard.inputs.sources.array_source import ArraySource
from fitguard.inputs.sources.dataset_source import DatasetSource
from fitguard.inputs.sources.kinds import kind_of
from fitguard.inputs.sources.source import Context, Readable, Seen
from fitguard.inputs.sources.stream_source import GeneratorSource, PyDatasetSource
from fitguard.inputs.sources.structure import Element
from fitguard.schema.data import Source
from fitguard.schema.exit_codes import UsageError


def opened(element: Element, context: Context) -> Readable:
    """The data of a split, ready to be read.

    Raises:
        UsageError: for what `fit` does not take.
    """
    kind = kind_of(element.x)
    if kind == "arrays":
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
        return PyDatasetSource(element.x, context)
    if kind == "generator":
        return GeneratorSource(element.x, context)
    return DatasetSource(element.x, context)


class FactorySource:
    """A function that makes the data anew at each call: reading takes nothing away."""

    def __init__(self, factory: Any, context: Context) -> None:
        self._factory = factory
        self._context = context

    def read(self, deadline: float | None) -> Seen:
        """Call the function, and read what it made."""
        with keeping_random_state():
            made = self._factory()
            if kind_of(made) == "factory":
                raise UsageError(
                    "Received a function that returns a function. Expected one that returns data"
                )
            element = made if isinstance(made, tuple) else (made,)
            seen = opened(Element(*element), self._context).read(deadline)
        return seen._replace(source=msgspec.structs.replace(seen.source, handed_back=False))

    def given_back(self) -> Any:
        """The function."""
        return self._factory


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

    def given_back(self) -> Any:
        """The stream itself."""
        return self._stream
