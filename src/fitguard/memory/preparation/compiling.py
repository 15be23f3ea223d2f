"""Compiles a model where that is needed: not done yet, or with another optimizer or loss."""

from typing import Any

from fitguard.contract import optimizers
from fitguard.contract.compiling import compile_arguments, is_compiled
from fitguard.inputs.models.asking import ask, trait
from fitguard.inputs.models.library import recognise
from fitguard.inputs.models.step import adds_loss, custom_step, is_defined_by_user
from fitguard.inputs.sources.error_words import in_one_line
from fitguard.memory.preparation.choosing_loss import choose_losses
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.model import ModelFacts

DEFAULT_OPTIMIZER = "adam"
_KEPT = ("loss", "loss_weights", "metrics", "weighted_metrics", "run_eagerly")


def compile_where_needed(
    model: Any, facts: ModelFacts, outputs: Any, labels: Any, *, optimizer: Any, loss: Any
) -> list[str]:
    """Compile the model, and say what was chosen for the user.

    Args:
        outputs: The specs of its outputs; None where nobody knows them.
        labels: The specs of y; None where none were given.
        optimizer, loss: As the user gave them; None: as the model has them.

    Raises:
        UsageError: for what Keras does not know, or where the model compiles itself.
    """
    done = is_compiled(model)
    if done and optimizer is None and loss is None:
        return []
    _require_keras_compile(model)
    library = recognise(model).module()
    settings = _settings(model, library) if done else {}
    chosen = []
    if optimizer is None and not done:
        optimizer = DEFAULT_OPTIMIZER
        chosen.append(f"the optimizer {optimizer}")
    if loss is None and not done and outputs is not None and not _trains_without(model):
        activations = [output.activation for output in facts.outputs or ()]
        loss, names = choose_losses(library, outputs, activations, labels)
        chosen.append(f"the loss {', '.join(names)}, which fits the output")
    _compile(model, library, settings, optimizer, loss)
    if not chosen:
        return []
    return [
        f"The model is not compiled: it was planned with {' and '.join(chosen)}. "
        "Give optimizer or loss for others."
    ]


def build_optimizer(model: Any) -> None:
    """Make the variables of the optimizer, where the model has one, and weights."""
    optimizer = trait(model, "optimizer")
    weights = ask(lambda: list(model.trainable_variables), [])
    if optimizer is not None and weights:
        with model.distribute_strategy.scope():
            optimizers.build(optimizer, weights)


def _compile(model: Any, library: Any, settings: dict[str, Any], optimizer: Any, loss: Any) -> None:
    chosen = settings | {
        name: value
        for name, value in (
            ("optimizer", _optimizer(library, optimizer)),
            ("loss", _loss(library, loss)),
        )
        if value is not None
    }
    try:
        with model.distribute_strategy.scope():
            model.compile(**chosen)
    except Exception as error:  # whatever Keras makes of it
        raise UsageError(
            f"Received optimizer={optimizer!r}, loss={loss!r}, with which the model cannot be "
            f"compiled: {in_one_line(error)[:400]}"
        ) from error


def _trains_without(model: Any) -> bool:
    return custom_step(model) or adds_loss(model)


def _require_keras_compile(model: Any) -> None:
    """A `compile` of the user's own takes what nobody knows."""
    if is_defined_by_user(model, "compile"):
        raise UsageError(
            f"Received a {type(model).__name__}, which has a `compile` of its own, not compiled "
            "or with another optimizer or loss. Expected it compiled as you train it"
        )


def _settings(model: Any, library: Any) -> dict[str, Any]:
    """What the model was compiled with; the losses and metrics as the user gave them."""
    given = compile_arguments(model)
    return {
        **{name: given[name] for name in _KEPT},
        "optimizer": _copy_optimizer(library, model.optimizer),
        "jit_compile": model.jit_compile,
    }


def _optimizer(library: Any, given: Any) -> Any:
    if given is None:
        return None
    try:
        return _copy_optimizer(library, library.optimizers.get(given))
    except Exception as error:  # ValueError, TypeError, KeyError: as the version has it
        raise UsageError(
            f"Received optimizer={given!r}. Expected the name of one of "
            f"{library.__name__}.optimizers, such as 'adam', or one itself ({in_one_line(error)})"
        ) from error


def _copy_optimizer(library: Any, optimizer: Any) -> Any:
    """A new one with the same settings: the user's own may belong to another model."""
    inner = trait(optimizer, "inner_optimizer")
    plain = optimizer if inner is None else inner
    copy = ask(lambda: type(plain).from_config(plain.get_config()), None)
    return library.optimizers.get(plain) if copy is None else copy


def _loss(library: Any, given: Any) -> Any:
    if not isinstance(given, str):
        return given
    try:
        library.losses.get(given)
    except Exception as error:
        raise UsageError(
            f"Received loss={given!r}. Expected the name of one of {library.__name__}.losses, such "
            "as 'sparse_categorical_crossentropy', or one itself"
        ) from error
    return given
