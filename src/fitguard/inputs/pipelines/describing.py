"""A `tf.data.Dataset` as its stages, from the Python objects that it is made of."""

import contextlib
from typing import Any

from fitguard.inputs.pipelines import classes
from fitguard.inputs.pipelines.elements import element_bytes, element_text
from fitguard.inputs.pipelines.functions import Function, functions_of, tensor_bytes
from fitguard.schema.pipeline import Pipeline, Stage

_BATCH_SIZES = ("_batch_size", "_batch_size_t", "_batch_sizes")
_DROP_REMAINDERS = ("_drop_remainder", "_drop_remainder_t")
_COUNTS = ("_count", "_size")


def describe(dataset: Any) -> Pipeline:
    """The stages of a dataset; nothing of it runs.

    What another TensorFlow keeps elsewhere is None, or named in `opaque`.
    """
    datasets = list(classes.walk(dataset))
    hidden = {id(classes.inputs_of(stage)[0]) for stage in datasets if classes.is_enumerate(stage)}
    shown = [stage for stage in datasets if id(stage) not in hidden]
    numbers = {id(stage): place for place, stage in enumerate(shown)}
    stages: list[Stage] = []
    batch_sizes: list[int | None] = []
    for stage in shown:
        inputs = _inputs(stage, numbers)
        below = next((batch_sizes[place] for place in inputs if batch_sizes[place]), None)
        made = _stage(stage, inputs, below)
        stages.append(made)
        batch_sizes.append(None if made.name == "unbatch" else made.batch_size or below)
    opaque = sorted({classes.class_of(s) for s in shown} - classes.NAMES.keys())
    return Pipeline(tuple(stages), tuple(opaque), *_options(dataset))


def _options(dataset: Any) -> tuple[bool | None, bool | None]:
    """Whether TensorFlow adds a prefetch at the end, and whether it optimises as by default."""
    with contextlib.suppress(Exception):  # options of another TensorFlow
        options = dataset.options()
        wanted = options.experimental_optimization
        default = wanted.apply_default_optimizations is not False
        switches = (options.autotune.enabled, wanted.inject_prefetch)
        return default and all(switch is not False for switch in switches), default
    return None, None


def _inputs(dataset: Any, numbers: dict[int, int]) -> tuple[int, ...]:
    if classes.is_from_generator(dataset):
        return ()
    return tuple(numbers[id(s)] for s in classes.inputs_of(dataset) if id(s) in numbers)


def _stage(dataset: Any, inputs: tuple[int, ...], batch_size: int | None) -> Stage:
    functions: list[Function] = []
    with contextlib.suppress(Exception):  # private parts, in whatever TensorFlow this is
        functions = list(functions_of(dataset))
    size = _first_number(dataset, _BATCH_SIZES)
    spec = getattr(dataset, "element_spec", None)
    return Stage(
        name=_name(dataset),
        inputs=inputs,
        buffer_size=_buffer_size(dataset),
        batch_size=size,
        drop_remainder=_flag(dataset, _DROP_REMAINDERS),
        count=_first_number(dataset, _COUNTS),
        reshuffle=_reshuffles(dataset),
        seeded=_seeded(dataset),
        filename=_filename(dataset),
        function=functions[0].name if functions else None,
        random=_is_random(dataset) or any(function.is_random for function in functions),
        python=any(function.runs_python for function in functions),
        parallel="Parallel" in classes.class_of(dataset),
        baked_bytes=_held_bytes(dataset) + sum(function.baked_bytes for function in functions),
        elements=classes.cardinality_of(dataset),
        element_bytes=element_bytes(spec, size or batch_size),
        element=element_text(spec),
    )


def _name(dataset: Any) -> str:
    if classes.is_from_generator(dataset):
        return "from_generator"
    if classes.is_enumerate(dataset):
        return "enumerate"
    kind = classes.class_of(dataset)
    return classes.NAMES.get(kind, kind)


def _first_number(dataset: Any, attributes: tuple[str, ...]) -> int | None:
    found = (classes.number(getattr(dataset, name, None)) for name in attributes)
    return next((value for value in found if value is not None), None)


def _flag(dataset: Any, attributes: tuple[str, ...]) -> bool | None:
    value = _first_number(dataset, attributes)
    return None if value is None else bool(value)


def _buffer_size(dataset: Any) -> int | None:
    # A reader of files has a buffer of bytes under the same name.
    if _name(dataset) not in ("shuffle", "prefetch", "shuffle_and_repeat"):
        return None
    return classes.number(getattr(dataset, "_buffer_size", None))


def _is_shuffle(dataset: Any) -> bool:
    return "shuffle" in _name(dataset)


def _is_random(dataset: Any) -> bool:
    return _name(dataset) == "random"


def _reshuffles(dataset: Any) -> bool | None:
    if not _is_shuffle(dataset):
        return None
    value = getattr(dataset, "_reshuffle_each_iteration", True)
    return True if value is None else bool(value)


def _seeded(dataset: Any) -> bool | None:
    if not (_is_shuffle(dataset) or _is_random(dataset)):
        return None
    seeds = [classes.number(getattr(dataset, name, None)) for name in ("_seed", "_seed2")]
    return None if None in seeds else any(seeds)


def _filename(dataset: Any) -> str | None:
    if _name(dataset) not in ("cache", "snapshot"):
        return None
    value: Any = getattr(dataset, "_filename", getattr(dataset, "_path", None))
    with contextlib.suppress(Exception):  # a symbolic tensor has no value
        value = value.numpy() if hasattr(value, "numpy") else value
        return value.decode(errors="replace") if isinstance(value, bytes) else str(value)
    return None


def _held_bytes(dataset: Any) -> int:
    """The arrays of a source."""
    tensors = getattr(dataset, "_tensors", None)
    if not isinstance(tensors, list | tuple):
        return 0
    return sum(tensor_bytes(tensor) for tensor in tensors if hasattr(tensor, "shape"))
