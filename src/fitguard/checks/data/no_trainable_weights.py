"""All weights of the model are frozen, or it has none: training changes nothing."""

from fitguard.checks.data.derived.generation import is_keras_2
from fitguard.checks.framework.registry import check
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.model import ModelFacts
from fitguard.words import count


@check("FG603", "no-trainable-weights")
def no_trainable_weights(model: ModelFacts) -> Finding | None:
    """
    ## What it means
    `fit` changes the trainable weights of a model. Here there are none: `trainable = False` was set
    on the model or on every layer that has weights, or no layer has weights.

    ## Why training crashes
    It does not crash. Keras 3 says *The model does not have any trainable weights* as a warning,
    and goes on: every epoch costs its full time, and the loss stays where it was.

    ## How to fix it
    To freeze only a base model, set `base.trainable = False` and leave the layers that come behind
    it trainable. In tf_keras call `compile` after each change of `trainable`: it counts only from
    then on. If nothing is to be learned, call `evaluate` or `predict` instead of `fit`.

    ## When this is wrong
    In tf_keras a model that was frozen after `compile` goes on training as before; the freezing is
    then without effect.

    ## References
    - Keras guide: transfer learning and fine-tuning
    - Tried with Keras 3.15 and tf_keras 2.21: the loss of two epochs is the same
    """
    if not model.built or model.custom_step or model.trainable_weights != 0:
        return None
    frozen = bool(model.weights)
    keras_2 = is_keras_2(model)
    reason = f"all {model.weights:,} are frozen" if frozen else "no layer has any"
    return Finding(
        confidence="medium" if keras_2 else "high",
        title=f"The model {model.name} has no trainable weights: {reason}",
        evidence=(
            Evidence(
                f"{count(model.weights or 0, 'weight')}, 0 of them trainable",
                f"model, {model.name}",
            ),
        ),
        fix=_fix(frozen, keras_2),
    )


def _fix(frozen: bool, keras_2: bool) -> Fix:
    if not frozen:
        return Fix("Add a layer that learns, such as Dense.", changes_results=True)
    again = ", then call model.compile again" if keras_2 else ""
    return Fix(
        "Set layer.trainable = True on the layers that are to learn (model.trainable = True sets "
        f"it on all){again}.",
        changes_results=True,
    )
