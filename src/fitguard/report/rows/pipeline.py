"""The stages of a `tf.data` pipeline, as one line and as a table."""

from fitguard.report.blocks import Table
from fitguard.report.rows.tables import drop_empty_columns
from fitguard.schema.pipeline import Pipeline, Stage
from fitguard.words import LEAST_BYTES, join, short, size

UNBOUNDED = -1
"""How tf.data writes an endless count, and AUTOTUNE."""

LONGEST_NAME = 60
LONGEST_CHAIN = 2000

HEADERS = ("", "stage", "reads", "settings", "yields", "remarks")


def chain(pipeline: Pipeline) -> str:
    """`from_tensor_slices → shuffle(1,000) → batch(32)`; branches stand within brackets.

    A branch that several stages read is told in full where the first of them reads it.
    """
    told: list[str] = []
    read: set[int] = set()
    for place, stage in enumerate(pipeline.stages):
        sources = [number for number in stage.inputs if 0 <= number < place]
        before = [_first_time(number, told, pipeline, read) for number in sources]
        told.append(short(_after(before, _call(stage)), LONGEST_CHAIN))
    return told[-1] if told else ""


def stage_table(pipeline: Pipeline) -> Table:
    """One row for each stage, sources first; columns in which nothing stands are left out."""
    numbered = list(enumerate(pipeline.stages))
    straight = all(stage.inputs in ((), (place - 1,)) for place, stage in numbered)
    rows = tuple(
        (
            f"{place}",
            short(stage.name, LONGEST_NAME),
            "" if straight else ", ".join(map(str, stage.inputs)),
            _settings(stage),
            _yields(stage),
            _remarks(stage),
        )
        for place, stage in numbered
    )
    return drop_empty_columns(Table(HEADERS, rows))


def unknown(pipeline: Pipeline) -> str:
    """What the table cannot tell; empty where it tells all."""
    return f"fitguard could not look into {', '.join(pipeline.opaque)}." if pipeline.opaque else ""


def _first_time(number: int, told: list[str], pipeline: Pipeline, read: set[int]) -> str:
    if number in read:
        return f"… {_call(pipeline.stages[number])}"
    read.add(number)
    return told[number]


def _after(before: list[str], call: str) -> str:
    if len(before) > 1:
        return f"({' | '.join(before)}) → {call}"
    return f"{before[0]} → {call}" if before else call


def _call(stage: Stage) -> str:
    """`shuffle(1,000)`, `map(augment)`, `repeat`: the setting that tells most."""
    if told := stage.function or stage.filename:
        return f"{stage.name}({short(told, LONGEST_NAME)})"
    figures = (stage.batch_size, stage.buffer_size, stage.count)
    told = next((f"{figure:,}" for figure in figures if figure not in (None, UNBOUNDED)), "")
    return f"{stage.name}({told})" if told else stage.name


def _settings(stage: Stage) -> str:
    buffer = _figure(stage.buffer_size, "AUTOTUNE")
    return join(
        [
            short(stage.function, LONGEST_NAME) if stage.function else None,
            f"batches of {stage.batch_size:,}" if stage.batch_size is not None else None,
            "drops a last, smaller batch" if stage.drop_remainder else None,
            f"buffer {buffer}" if buffer else None,
            _figure(stage.count, "endless"),
            "another order each epoch" if stage.reshuffle else None,
            "the same order each epoch" if stage.reshuffle is False else None,
            "with a seed" if stage.seeded else None,
            "in memory" if stage.filename == "" else stage.filename,
        ]
    )


def _figure(value: int | None, unbounded: str) -> str | None:
    if value is None:
        return None
    return unbounded if value == UNBOUNDED else f"{value:,}"


def _yields(stage: Stage) -> str:
    parts = (_figure(stage.elements, "endless"), stage.element)
    taken = f"{size(stage.element_bytes)} each" if stage.element_bytes else None
    return join([" × ".join(part for part in parts if part), taken])


def _remarks(stage: Stage) -> str:
    baked = stage.baked_bytes
    return join(
        [
            f"holds {size(baked)} of arrays" if baked >= LEAST_BYTES else None,
            "draws random numbers" if stage.random else None,
            "runs Python code" if stage.python else None,
        ]
    )
