"""The model has no optimizer and loss yet: compile was not called."""

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
    by `clone_model`.

    ## Why training crashes
    Keras 3 stops with *You must call `compile()` before using the model*; tf_keras with *You must
    compile your model before training/testing*.

    ## How to fix it
    Call `model.compile(optimizer=…, loss=…)` before `fit`. After `load_model(…, compile=False)`
    leave that argument out, or compile again.

    ## When this is wrong
    A model whose own `fit` trains in another way does not need `compile`.

    ## References
    - Keras: `Model.compile`
    - Tried with Keras 3.15 and tf_keras 2.21
    """
    if model.compiled:
        return None
    return Finding(
        confidence="medium" if model.custom_step else "high",
        title=f"The model {model.name} is not compiled: fit stops before the first step",
        evidence=(Evidence("compile() was not called on it", f"model, {model.name}"),),
        fix=Fix("Call model.compile(optimizer=..., loss=...) before fit."),
    )
