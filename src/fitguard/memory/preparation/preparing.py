"""`prepare`: a model and the arguments of `fit` in, a training step that can be traced out."""

import contextlib
from collections.abc import Iterator
from typing import Any

from fitguard.inputs.models import describe
from fitguard.inputs.models.host_layers import describe_host_layers
from fitguard.inputs.models.library import recognise, require_outside_of_functions
from fitguard.inputs.sources.peeking import batch_shape
from fitguard.inputs.sources.structure import Element
from fitguard.memory.collecting import sparing_old_objects
from fitguard.memory.preparation.batch import (
    batch_to_plan,
    describe_unspread,
    replicas_of,
    require_one_replica,
)
from fitguard.memory.preparation.compiling import build_optimizer, compile_where_needed
from fitguard.memory.preparation.feeding import feed
from fitguard.memory.preparation.given import read
from fitguard.memory.preparation.mode import mode
from fitguard.memory.preparation.preparation import Preparation
from fitguard.memory.preparation.step_facts import step_facts
from fitguard.memory.preparation.step_function import is_step_function, prepare_function
from fitguard.memory.training import Training
from fitguard.memory.unchanged import leaving_unchanged


@contextlib.contextmanager
def prepare(
    model: Any,
    batch_size: int | None = None,
    x: Any = None,
    y: Any = None,
    sample_weight: Any = None,
    *,
    class_weight: Any = None,
    optimizer: Any = None,
    loss: Any = None,
    jit_compile: bool | str = "auto",
    strategy: Any = None,
    replicas: int | None = None,
) -> Iterator[Preparation]:
    """A training step that can be traced, for as long as the `with` lasts.

    Meanwhile the user's own model is built and compiled as needed; at the end it is put back as it
    was, with the state of all random generators. Nothing may run on it, only be traced.

    Args:
        model: Of Keras 3 or Keras 2, compiled or not, built or not; or a function that does one
            step of training, with examples of its arguments as x.
        batch_size: Of all replicas together; None: as the data have it, or 32 as in `fit`.
        x, y, sample_weight: As `fit` takes them, or shapes in their place, such as
            (None, 224, 224, 3). None: as the model and its loss tell.
        class_weight: As `fit` takes it: a weight for each sample comes of it.
        optimizer, loss: In place of those that the model was compiled with.
        jit_compile: "auto" for what Keras does where there is a GPU.
        strategy: The `tf.distribute` strategy that the training will run under.
        replicas: Over how many GPUs each batch is spread; None: as the strategy says.

    Raises:
        UsageError: for what cannot be planned; the message says what to give.

    Example:
        with prepare(model, 64) as prepared:
            specs = prepared.training.specs(prepared.replica_batch_size)
            tf.function(model.train_step).get_concrete_function(specs)
    """
    require_outside_of_functions("plan")
    if is_step_function(model):
        made = prepare_function(model, batch_size, x, jit_compile, replicas)
        with sparing_old_objects(), made as prepared:
            yield prepared
        return
    library = recognise(model, "plan")
    with sparing_old_objects(), leaving_unchanged(model, loss):
        facts = describe(model, batch_shape(x))
        given = read(Element(x, y, sample_weight), facts)
        size, notes = batch_to_plan(batch_size, given, facts.batch_axis)
        require_one_replica(facts)
        notes += describe_unspread(model, strategy, replicas)
        spread = replicas_of(facts, strategy, replicas)
        fed = feed(model, facts, given)
        notes += compile_where_needed(
            model, facts, fed.outputs, fed.labels, optimizer=optimizer, loss=loss
        )
        notes += describe_host_layers(model)
        data, assumed = fed.data(weighted=class_weight is not None)
        build_optimizer(model)
        settled = facts.compiled
        xla, reason = mode(model, library, jit_compile, spread=spread > 1, settled=settled)
        training = Training(model=model, data=data, jit_compile=xla, replicas=spread)
        if facts.batch_axis is not None:
            training = training.bind_batch_size(facts.batch_axis)
        yield Preparation(
            training=training,
            batch_size=size,
            step=step_facts(training, fed.names, batch_size=size, reason=reason),
            notes=(*given.notes, *fed.notes, *notes, *assumed),
        )
