"""compile was not called, or not given the losses that fit needs."""

from fitguard.checks.data.derived.generation import is_keras_2
from fitguard.checks.data.derived.wording import join_names
from fitguard.checks.framework.registry import check
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.model import ModelFacts


@check("FG602", "model-not-compiled")
def model_not_compiled(model: ModelFacts) -> Finding | None:
    """
    ## What it means
    `compile` gives a model its optimizer, its loss and its metrics. This model has none: `compile`
    was never called, or it was called on another object. A model made from the layers of another
    one, and one that was loaded with `compile=False`, begin uncompiled; in tf_keras so does a copy
    by `clone_model`. Or `compile` was called without a loss, or with a dict of losses whose keys
    are not the names of the outputs.

    ## Why training crashes
    Keras 3 stops with *You must call `compile()` before using the model*; tf_keras with *You must
    compile your model before training/testing*. Without a loss both stop: *No loss to compute*, *No
    loss found*; with regularizers, Keras 3 trains on their penalty alone. For a dict that leaves an
    output out Keras 3 says *Expected keys ['a', 'b'] in loss dict*; tf_keras does not train that
    output. A key that no output bears stops both.

    ## How to fix it
    Call `model.compile(optimizer=…, loss=…)` before `fit`. After `load_model(…, compile=False)`
    leave that argument out, or compile again. An output that is not to be trained: give its key
    None.

    ## When this is wrong
    A model whose own `fit` trains in another way does not need `compile`, one that adds its loss
    itself (`add_loss`, `train_step`, `compute_loss`) needs no `loss`.

    ## References
    - Keras: `Model.compile`
    - Tried with Keras 3.15 and tf_keras 2.21
    """
    if model.compiled:
        return None if model.custom_step else _without_loss(model) or _other_keys(model)
    return Finding(
        confidence="medium" if model.custom_step else "high",
        title=f"The model {model.name} is not compiled: fit stops before the first step",
        evidence=(Evidence("compile() was not called on it", f"model, {model.name}"),),
        fix=Fix("Call model.compile(optimizer=..., loss=...) before fit."),
    )


def _without_loss(model: ModelFacts) -> Finding | None:
    if model.has_loss is not False or model.adds_loss:
        return None
    return Finding(
        title=f"The model {model.name} is compiled without a loss: there is nothing to train on",
        evidence=(Evidence("compile() was given no loss", f"model, {model.name}"),),
        fix=Fix(
            "Give compile a loss: model.compile(optimizer=..., loss=...).", changes_results=True
        ),
    )


def _other_keys(model: ModelFacts) -> Finding | None:
    names = [output.name for output in model.outputs or ()]
    if not model.loss_keys or len(names) < 2 or model.kind == "subclassed":
        return None
    strange = [key for key in model.loss_keys if key not in names]
    left_out = [name for name in names if name not in model.loss_keys and not is_keras_2(model)]
    if not strange and not left_out:
        return None
    wrong = f"has {join_names(strange)}, which no output bears" if strange else ""
    lacking = f"leaves out {join_names(left_out)}" if left_out else ""
    wanted = ", ".join(f"{name!r}: …" for name in names)
    return Finding(
        title=f"The dict of losses {' and '.join(filter(None, (wrong, lacking)))}: fit stops",
        evidence=(
            Evidence(f"losses for {join_names(model.loss_keys)}", "compile"),
            Evidence(f"outputs {join_names(names)}", f"model, {model.name}"),
        ),
        fix=Fix(f"Compile with loss={{{wanted}}}; None for an output that is not trained."),
    )
