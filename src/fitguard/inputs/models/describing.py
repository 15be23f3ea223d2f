"""The whole of a model in one struct."""

from typing import Any, Literal

from fitguard.contract.compiling import is_compiled, strategy_name
from fitguard.contract.libraries import is_a
from fitguard.contract.runtime import uses_onednn
from fitguard.inputs.models.asking import ask
from fitguard.inputs.models.batches import (
    Binding,
    batch_binding,
    batch_statistics,
    convolutions,
    flat_statistics,
)
from fitguard.inputs.models.graph import draw
from fitguard.inputs.models.inputs import inputs_of
from fitguard.inputs.models.library import recognise
from fitguard.inputs.models.outputs import has_named_outputs, outputs_of
from fitguard.inputs.models.step import (
    adds_loss,
    custom_batches,
    custom_step,
    gpus,
    has_loss,
    jit_compile,
    jit_compile_here,
    loss_keys,
    optimizer_name,
    replica_devices,
    replicas,
    times_per_execution,
)
from fitguard.inputs.models.weights import compute_dtype, weights_of
from fitguard.schema.model import ModelFacts, Shape


def describe(model: Any, batch: Shape | None = None) -> ModelFacts:
    """The facts of a Keras model that its data must fit.

    The model is only looked at: nothing in it is built, called, traced or changed. What cannot be
    told is None.

    Args:
        model: Of Keras 3 on the TensorFlow backend, or of Keras 2; compiled or not, built or not.
        batch: The shape of a batch of x, where it is known: it tells what a chain of layers that
            is not built will give.

    Raises:
        UsageError: It is no such model.
    """
    library = recognise(model)
    graph = ask(lambda: draw(model), None)
    weights = weights_of(model)
    statistics = ask(lambda: batch_statistics(model, graph), ())
    binding = ask(lambda: batch_binding(model), Binding())
    return ModelFacts(
        name=ask(lambda: str(model.name), type(model).__name__),
        library=str(library),
        kind=_how_made(model),
        built=ask(lambda: bool(model.built), False),
        compiled=is_compiled(model),
        inputs=ask(lambda: inputs_of(model, graph), None),
        outputs=ask(lambda: outputs_of(model, graph, batch), None),
        named_outputs=ask(lambda: has_named_outputs(model), None),
        weights=weights.all,
        trainable_weights=weights.trainable,
        weights_bytes=weights.size_bytes,
        optimizer=optimizer_name(model),
        compute_dtype=ask(lambda: compute_dtype(model), "float32"),
        jit_compile=ask(lambda: jit_compile(model, library), None),
        jit_compile_here=ask(lambda: jit_compile_here(model), None),
        batch_axis=binding.size,
        batch_bound=binding.layer,
        batch_statistics=statistics,
        flat_statistics=ask(lambda: flat_statistics(model, statistics), ()),
        has_loss=ask(lambda: has_loss(model), None),
        loss_keys=ask(lambda: loss_keys(model), ()),
        custom_step=custom_step(model),
        custom_batches=custom_batches(model),
        adds_loss=ask(lambda: adds_loss(model), False),
        convolutions=ask(lambda: convolutions(model), ()),
        strategy=ask(lambda: strategy_name(model), None),
        replicas=replicas(model),
        replica_devices=ask(lambda: replica_devices(model), None),
        onednn=ask(uses_onednn, None),
        steps_per_execution=ask(lambda: times_per_execution(model), 1),
        gpus=ask(gpus, None),
    )


def _how_made(model: Any) -> Literal["functional", "sequential", "subclassed"]:
    if is_a(model, "Sequential"):
        return "sequential"
    return "functional" if is_a(model, "Functional") else "subclassed"
