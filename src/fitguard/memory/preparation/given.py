"""What the arguments of `fit` tell about each batch; what can be read only once is not read."""

import contextlib
import types
from dataclasses import dataclass, replace
from typing import Any

from fitguard.contract.datasets.distributed import original_of
from fitguard.contract.libraries import Library
from fitguard.contract.random_state import keeping_random_state
from fitguard.inputs.pipelines.describing import describe as describe_pipeline
from fitguard.inputs.pipelines.twins import Unreadable
from fitguard.inputs.sources.dataset_elements import is_batched
from fitguard.inputs.sources.error_words import in_one_line
from fitguard.inputs.sources.generators import map_leaves
from fitguard.inputs.sources.kinds import kind_of, require_arrays
from fitguard.inputs.sources.pydatasets import BatchFailed, batches, twin
from fitguard.inputs.sources.structure import Element, Leaf, leaves
from fitguard.memory.preparation.given_shapes import has_shapes, of_shapes
from fitguard.memory.preparation.specs import add_batch_axis, dense, of_array, open_batch_axis
from fitguard.schema.data import Role
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.model import ModelFacts


@dataclass(frozen=True)
class Given:
    """The data as they are known.

    Args:
        data: As `train_step` gets them, in specs; None where x does not tell.
        y, sample_weight: Specs that were given beside an x that does not tell.
        batch_size: As the data have it; None where `fit` decides.
        unknown_batch: Whether the data come in batches of a size that nobody knows.
        notes: What was assumed.
    """

    data: Any = None
    y: Any = None
    sample_weight: Any = None
    batch_size: int | None = None
    unknown_batch: bool = False
    notes: tuple[str, ...] = ()


def read(element: Element, model: ModelFacts) -> Given:
    """The specs of what `fit` was given.

    Raises:
        UsageError: for what `fit` does not take.
    """
    y = None if element.y is None else _structure(element.y, "y", model)
    weight = None
    if element.sample_weight is not None:
        weight = _structure(element.sample_weight, "sample_weight", model)
    if element.x is None:
        return Given(y=y, sample_weight=weight)
    if has_shapes(element.x):
        return _of_batches(pack_data(of_shapes(element.x, "x", model), y, weight))
    kind = kind_of(element.x)
    if kind == "arrays":
        return Given(pack_data(_structure(element.x, "x", model), y, weight))
    if y is not None or weight is not None:
        raise UsageError(
            f"Received y or sample_weight beside a {type(element.x).__name__}. Expected them in "
            "what it yields: (x, y) or (x, y, sample_weight)"
        )
    if kind in ("dataset", "distributed"):
        return _of_dataset(element.x, model)
    if kind == "pydataset":
        return _of_pydataset(element.x, model)
    if kind == "factory":
        return _of_factory(element.x, model)
    return _build_unknown(f"A {type(element.x).__name__} can be read only once")


def pack_data(x: Any, y: Any, sample_weight: Any) -> Any:
    """As `fit` hands arrays over to `train_step`."""
    if sample_weight is not None:
        return (x, y, sample_weight)
    if y is not None:
        return (x, y)
    return (x,) if isinstance(x, tuple | list | dict) else x


def _of_batches(data: Any) -> Given:
    """Specs that may have a batch size: all of that length grow with the batch."""
    import tensorflow as tf

    size = next((one.shape[0] for one in tf.nest.flatten(data) if one.shape.rank), None)
    grown = tf.nest.map_structure(lambda one: open_batch_axis(one, size), data)
    return Given(grown, batch_size=size)


def _structure(part: Any, role: Role, model: ModelFacts) -> Any:
    """The specs of arrays; `fit` makes tuples of lists."""
    if has_shapes(part):
        return of_shapes(part, role, model)
    require_arrays(part, role)
    library = Library.parse(model.library)
    named = {id(leaf.value): leaf for leaf in leaves(part, role)}

    def one(_path: Any, value: Any) -> Any:
        return None if value is None else of_array(named[id(value)], library)

    return _in_tuples(map_leaves(part, one))


def _in_tuples(structure: Any) -> Any:
    if isinstance(structure, dict):
        return {key: _in_tuples(item) for key, item in structure.items()}
    if isinstance(structure, list | tuple):
        return tuple(_in_tuples(item) for item in structure)
    return structure


def _of_dataset(stream: Any, model: ModelFacts) -> Given:
    import tensorflow as tf

    dataset = original_of(stream).dataset
    if dataset is None:
        return _build_unknown(f"A {type(stream).__name__} does not tell what it yields")
    pipeline = describe_pipeline(dataset)
    data = tf.nest.map_structure(dense, dataset.element_spec)
    kinds = {type(one).__name__ for one in tf.nest.flatten(dataset.element_spec)}
    notes = tuple(
        f"The data hold a {kind.removesuffix('Spec')}; it was counted as if it were dense."
        for kind in sorted(kinds - {"TensorSpec"})
    )
    if is_batched(dataset.element_spec, pipeline, model) is False:
        data = tf.nest.map_structure(add_batch_axis, data)
        unbatched = "The dataset yields single samples; it was planned as if .batch() came last."
        return Given(data, notes=(*notes, unbatched))
    told = _of_batches(data)
    sizes = [stage.batch_size for stage in pipeline.stages if stage.batch_size]
    size = told.batch_size or (sizes[-1] if sizes else None)
    return replace(told, batch_size=size, unknown_batch=size is None, notes=notes)


def _of_pydataset(dataset: Any, model: ModelFacts) -> Given:
    try:
        with contextlib.closing(batches(twin(dataset), 1)) as found:
            _, batch = next(found)
    except Unreadable as reason:
        return _build_unknown(f"The {type(dataset).__name__} was not read. {reason}")
    except BatchFailed as failed:
        raise UsageError(
            f"Received a {type(dataset).__name__} whose batch 0 raises "
            f"{in_one_line(failed.__cause__ or failed)}. Expected a batch of data"
        ) from failed
    return _of_batch(batch, model)


def _of_factory(factory: Any, model: ModelFacts) -> Given:
    name = getattr(factory, "__name__", type(factory).__name__)
    with keeping_random_state():
        try:
            made = factory()
            made = next(made) if isinstance(made, types.GeneratorType) else made
        except (Exception, StopIteration) as error:  # whatever the user's code raises
            raise UsageError(
                f"Received the function {name}, which raises {in_one_line(error)}. Expected one "
                "that returns the data for `fit` when it is called without arguments"
            ) from error
    if isinstance(made, tuple | dict) or hasattr(made, "__array__"):
        return _of_batch(made, model)
    return read(Element(made), model)


def _of_batch(batch: Any, model: ModelFacts) -> Given:
    """A batch that was read."""
    library = Library.parse(model.library)

    def one(path: Any, value: Any) -> Any:
        leaf = Leaf(f"batch{''.join(f'[{key!r}]' for key in path)}", None, value)
        return None if value is None else of_array(leaf, library, streamed=True)

    size = next((leaf.value.shape[0] for leaf in leaves(batch, "x")), None)
    return Given(map_leaves(batch, one), batch_size=size)


def _build_unknown(why: str) -> Given:
    return Given(
        unknown_batch=True,
        notes=(f"{why}: the shapes of the data were taken from the model.",),
    )
