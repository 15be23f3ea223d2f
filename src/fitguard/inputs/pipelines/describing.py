"""A `tf.data.Dataset` as its stages, from the Python objects that it is made of."""

import contextlib
import itertools
import types
from typing import Any

from fitguard.contract.datasets.functions import Function, tensor_bytes
from fitguard.contract.datasets.stages import DatasetStage
from fitguard.contract.random_sources import is_random_source
from fitguard.inputs.pipelines.elements import element_bytes, element_text
from fitguard.schema.pipeline import Pipeline, Stage
from fitguard.state.code import names_in
from fitguard.state.graph import TooMuch
from fitguard.state.reach import reach

LOOKED_AT = 2_000
"""Objects in which random generators are looked for."""


def describe(dataset: Any) -> Pipeline:
    """The stages of a dataset; nothing of it runs.

    What another TensorFlow keeps elsewhere is None, or named in `opaque`.
    """
    found = DatasetStage(dataset).pipeline()
    counters = {id(stage.inputs[0].dataset) for stage in found if stage.name == "enumerate"}
    shown = [stage for stage in found if id(stage.dataset) not in counters]
    numbers = {id(stage.dataset): place for place, stage in enumerate(shown)}
    opaque = {stage.kind for stage in shown if stage.opaque}
    stages: list[Stage] = []
    batch_sizes: list[int | None] = []
    for stage in shown:
        places = (numbers.get(id(source.dataset)) for source in stage.inputs)
        inputs = tuple(place for place in places if place is not None)
        below = next((batch_sizes[place] for place in inputs if batch_sizes[place]), None)
        made = _stage(stage, inputs, below, opaque)
        stages.append(made)
        batch_sizes.append(None if made.name == "unbatch" else made.batch_size or below)
    return Pipeline(tuple(stages), tuple(sorted(opaque)), *_options(dataset))


def _options(dataset: Any) -> tuple[bool | None, bool | None]:
    """Whether TensorFlow adds a prefetch at the end, and whether it optimises as by default."""
    with contextlib.suppress(Exception):  # options of another TensorFlow
        options = dataset.options()
        wanted = options.experimental_optimization
        default = wanted.apply_default_optimizations is not False
        switches = (options.autotune.enabled, wanted.inject_prefetch)
        return default and all(switch is not False for switch in switches), default
    return None, None


def _stage(
    stage: DatasetStage, inputs: tuple[int, ...], batch_size: int | None, opaque: set[str]
) -> Stage:
    functions = _functions(stage, opaque)
    held = sum(tensor_bytes(tensor) for tensor in stage.tensors if hasattr(tensor, "shape"))
    spec = getattr(stage.dataset, "element_spec", None)
    return Stage(
        name=stage.name,
        inputs=inputs,
        buffer_size=stage.buffer_size,
        batch_size=stage.batch_size,
        drop_remainder=stage.drop_remainder,
        count=stage.count,
        reshuffle=stage.reshuffles,
        seeded=stage.seeded,
        filename=stage.filename,
        function=functions[0].name if functions else None,
        random=stage.name == "random" or any(map(_draws, functions)),
        python=any(function.runs_python for function in functions),
        parallel=stage.runs_ahead,
        baked_bytes=held + sum(function.baked_bytes for function in functions),
        elements=stage.elements,
        element_bytes=element_bytes(spec, stage.batch_size or batch_size),
        element=element_text(spec),
    )


def _functions(stage: DatasetStage, opaque: set[str]) -> list[Function]:
    try:
        return list(stage.functions.values())
    except Exception:  # private parts, in whatever TensorFlow this is
        opaque.add(stage.kind)
        return []


def _draws(function: Function) -> bool:
    return function.is_random or python_draws(function.python)


def python_draws(roots: tuple[Any, ...]) -> bool:
    """Whether Python code seems to draw random numbers: it names `random`, or holds a generator."""
    try:
        return any(
            is_random_source(found.thing)
            or (isinstance(found.thing, types.FunctionType) and "random" in names_in(found.thing))
            for found in itertools.islice(reach(roots), LOOKED_AT)
        )
    except TooMuch:
        return False
