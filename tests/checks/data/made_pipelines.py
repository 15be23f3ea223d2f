"""Pipelines and sources made by hand, for what is at the edge of a check."""

from typing import Any

import msgspec
from checks.data.made_facts import facts_of

from fitguard.schema.data import DataFacts, Field, Source
from fitguard.schema.pipeline import Pipeline, Stage


def stages(*names: str | tuple[str, dict[str, Any]]) -> Pipeline:
    """Stages in a row, each by its name, or with what else is known of it."""
    made = []
    for number, given in enumerate(names):
        name, more = (given, {}) if isinstance(given, str) else given
        inputs = (number - 1,) if number else ()
        made.append(msgspec.convert({"name": name, "inputs": inputs, **more}, Stage))
    return Pipeline(tuple(made))


def source(pipeline: Pipeline | None = None, **more: Any) -> Source:
    """The training data as a dataset of 100 samples in batches of 10, or what is said."""
    facts = {
        "kind": "dataset",
        "container": "tf.data.Dataset",
        "samples": 100,
        "batches": 10,
        "batched": True,
        "batch_size": 10,
        "last_batch_size": 10,
        **more,
    }
    return msgspec.structs.replace(msgspec.convert(facts, Source), pipeline=pipeline)


def piped(
    pipeline: Pipeline, *fields: Field, known: dict[str, Any] | None = None, **more: Any
) -> DataFacts:
    """Facts of a training that reads this pipeline; `known` is what else its source says."""
    return facts_of(*fields, sources=(source(pipeline, **(known or {})),), **more)
