"""Whether XLA compiles the step where there is a GPU, and why."""

from typing import Any

from fitguard.contract.compiling import strategy_of
from fitguard.contract.libraries import Library
from fitguard.contract.runtime import op_determinism_enabled
from fitguard.inputs.models.asking import ask, name_of, trait
from fitguard.inputs.models.cudnn import runs_on_cudnn
from fitguard.inputs.models.kinds import sublayers
from fitguard.inputs.models.step import gpus, jit_compile_here
from fitguard.schema.exit_codes import UsageError


def mode(
    model: Any, library: Library, asked: bool | str, *, spread: bool, settled: bool
) -> tuple[bool, str]:
    """Whether XLA compiles the step, and the reason in one sentence.

    The rules are those in the source of Keras 3.15 (`Trainer._resolve_auto_jit_compile`,
    `model_supports_jit`) and tf_keras 2.21 (`Model.compile`).

    Args:
        asked: What the user wants: True, False, or "auto" for what Keras would do.
        spread: Whether a strategy spreads the batch over several GPUs.
        settled: Whether the user compiled the model: what `compile` was given counts.

    Raises:
        UsageError: for anything else.
    """
    if asked is False:
        return False, "jit_compile=False was given."
    if asked is True:
        blocker = _blocker(model) if library.generation == 3 else None
        if blocker is not None:
            return False, f"jit_compile=True was given, but Keras turns it off: {blocker}."
        return True, "jit_compile=True was given."
    if asked != "auto":
        raise UsageError(
            f"Received jit_compile={asked!r}. Expected True, False or 'auto' for what Keras does"
        )
    if trait(model, "run_eagerly", False):
        return False, "run_eagerly=True: operations run one by one, without XLA."
    return _automatic(model, library, spread=spread, settled=settled)


def _automatic(model: Any, library: Library, *, spread: bool, settled: bool) -> tuple[bool, str]:
    here = bool(settled and jit_compile_here(model))
    if here:
        return True, "The model was compiled with XLA switched on."
    if library.generation == 2:
        return False, "Keras 2 uses XLA only where compile is given jit_compile=True."
    if settled and ask(gpus, 0):
        return False, "The model was compiled with XLA switched off, by you or by Keras."
    if spread or strategy_of(model) is not None:
        return False, 'jit_compile="auto": Keras does not use XLA with a distribution strategy.'
    blocker = _blocker(model)
    if blocker is not None:
        return False, f'jit_compile="auto": Keras does not use XLA here: {blocker}.'
    told = 'jit_compile="auto": Keras uses XLA as soon as there is a GPU.'
    if not settled:
        return True, told
    # Keras writes False for "auto" where there is no GPU.
    return True, (
        f"{told} Without a GPU, a compiled model does not tell "
        '"auto" from False: give jit_compile=False here if you gave it to compile.'
    )


def _blocker(model: Any) -> str | None:
    """What keeps Keras 3 from using XLA for a model; None where nothing does."""
    for layer in sublayers(model):
        if runs_on_cudnn(layer):
            return f"cuDNN computes the layer {name_of(layer)}"
    for layer in (model, *sublayers(model)):
        if trait(layer, "supports_jit", True) is False:
            return f"the layer {name_of(layer)} cannot be compiled"
    if op_determinism_enabled():
        return "operations are set to be deterministic"
    return None
