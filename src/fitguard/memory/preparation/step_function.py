"""A training step that is no model's: a function, or a `tf.function`, with example arguments."""

import contextlib
import functools
import inspect
import weakref
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from fitguard.contract.compiling import is_jit_compiled
from fitguard.inputs.sources.kinds import descends, is_array
from fitguard.memory.preparation.batch import batch_to_plan
from fitguard.memory.preparation.given import Given
from fitguard.memory.preparation.given_shapes import is_shape
from fitguard.memory.preparation.open_axes import close
from fitguard.memory.preparation.preparation import Preparation
from fitguard.memory.preparation.specs import lengths, open_batch_axis, spec
from fitguard.memory.preparation.step_facts import collect_inputs
from fitguard.memory.training import Training
from fitguard.memory.unchanged import leaving_unchanged
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.plan import Step
from fitguard.state.graph import TooMuch
from fitguard.state.reach import reach


def is_step_function(given: Any) -> bool:
    """Whether it is a function, a method or a `tf.function`, not a model."""
    return (
        inspect.isroutine(given)
        or isinstance(given, functools.partial)
        or descends(given, "tensorflow", "Function")
    )


@contextlib.contextmanager
def prepare_function(
    function: Any, batch_size: int | None, x: Any, jit_compile: bool | str, replicas: int | None
) -> Iterator[Preparation]:
    """A step that calls the function with specs like `x`, a tuple of its arguments.

    Models and optimizers that the function reaches are put back at the end. A `tf.function` is
    taken for the Python function in it: its own traces are left alone.

    Raises:
        UsageError: without arguments, or with some that are no arrays.
    """
    name = str(getattr(function, "__name__", type(function).__name__))
    if x is None:
        raise UsageError(
            f"Received the function {name} without examples of its arguments. Expected x: a tuple "
            f"of them, or of their shapes; or a model, if the function makes one: plan({name}())"
        )
    inner: Callable[..., Any] = getattr(function, "python_function", function)
    data, samples = _arguments(x if isinstance(x, tuple) and not is_shape(x) else (x,))
    size, notes = batch_to_plan(batch_size, Given(batch_size=samples), None)
    compiled_by_xla, reason = _mode(function, jit_compile)
    if not descends(function, "tensorflow", "Function"):
        notes.append(f"{name} is no tf.function; it was planned as if it were one.")
    with leaving_unchanged(*_collect_reachable(inner)):
        yield Preparation(
            training=Training(
                model=None,
                data=data,
                jit_compile=compiled_by_xla,
                replicas=replicas or 1,
                step=inner,
            ),
            batch_size=size,
            step=Step(
                model=name,
                inputs=collect_inputs(data, size),
                mode_reason=reason,
                replicas=replicas or 1,
            ),
            notes=tuple(notes),
        )


def _arguments(given: tuple[Any, ...]) -> tuple[Any, int | None]:
    """The specs of the arguments, and the batch size that they have.

    The first axis of the first array is the batch; arrays of another length do not grow with it.
    """
    import tensorflow as tf

    specs = close(_specs(given, "x"), "x", ())
    samples = next((one.shape[0] for one in tf.nest.flatten(specs) if one.shape.rank), None)
    return tf.nest.map_structure(lambda one: open_batch_axis(one, samples), specs), samples


def _specs(given: Any, name: str) -> Any:
    if is_shape(given):
        symbolic = hasattr(given, "dtype")
        return spec(lengths(given), given.dtype) if symbolic else spec(tuple(given), "float32")
    if isinstance(given, Mapping):
        return {key: _specs(item, f"{name}[{key!r}]") for key, item in given.items()}
    if isinstance(given, list | tuple):
        return tuple(_specs(item, f"{name}[{place}]") for place, item in enumerate(given))
    if not is_array(given):
        raise UsageError(
            f"Received {name}, a {type(given).__name__}, as argument of the training step. "
            "Expected arrays, tensors or shapes; bind other arguments with functools.partial"
        )
    return spec(lengths(given), given.dtype)


def _mode(function: Any, asked: bool | str) -> tuple[bool, str]:
    if asked != "auto":
        return bool(asked), f"jit_compile={bool(asked)} was given."
    if is_jit_compiled(function):
        return True, "The function is a tf.function with jit_compile=True."
    return False, "The function is no tf.function with jit_compile=True."


def _collect_reachable(function: Callable[..., Any]) -> list[Any]:
    """What the function can change: models, optimizers, lists, in closures and globals."""
    try:
        return [node.thing for node in reach([function, *_owners(function)])]
    except TooMuch:
        return []


def _owners(function: Callable[..., Any]) -> list[Any]:
    """The object of a method: a `tf.function` refers to it weakly."""
    cells = getattr(function, "__closure__", None) or ()
    held = [cell.cell_contents for cell in cells]
    return [one() for one in held if isinstance(one, weakref.ref)]
