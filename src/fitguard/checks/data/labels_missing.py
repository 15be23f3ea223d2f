"""An output is trained with a loss, and no labels come for it."""

from fitguard.checks.data.derived.generation import is_keras_2
from fitguard.checks.data.derived.outputs import Trained
from fitguard.checks.data.derived.pairs import training_fields
from fitguard.checks.data.derived.wording import join_names
from fitguard.checks.framework.fixtures import Missing
from fitguard.checks.framework.registry import check
from fitguard.schema.data import DataFacts, Field, Source
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.model import ModelFacts, ModelOutput


@check("FG628", "labels-missing", requires={"FG611", "FG612", "FG613"})
def labels_missing(
    data: DataFacts, trained: tuple[Trained, ...], training_source: Source
) -> Finding | None:
    """
    ## What it means
    `compile` was given a loss for one or more outputs. Each needs labels: `y`, or the second part
    of what a dataset yields; for several outputs a list in their order, or a dict by their names.
    Here some are missing, too many, or under a name that no output has.

    ## Why training crashes
    Without any labels the first step stops with *None values not supported*. With the wrong number
    or names Keras 3 says *y_true and y_pred have different structures*, or the obscure *Expected
    float32, but got a of type 'str'*. tf_keras trains on: one array for two outputs trains both on
    it, and an output that a dict leaves out is not trained at all.

    ## How to fix it
    Give one array for each output that has a loss, under the output's name. For an autoencoder the
    labels are the inputs: `fit(x, x)`, or `dataset.map(lambda x: (x, x))`.

    ## When this is wrong
    A model that computes its loss itself (`add_loss`, `train_step`, `compute_loss`) needs no
    labels; compile it without `loss`.

    ## References
    - Keras: `Model.fit`, `Model.compile`
    - Tried with TensorFlow 2.21, Keras 3.15 and tf_keras 2.21 on the CPU
    """
    outputs, fields = data.model.outputs or (), training_fields(data, "y")
    if training_source.failure or not training_source.samples_seen:
        raise Missing("no training data could be read")
    if not trained:
        return None
    if not fields:
        return _finding(
            f"There are no labels, but {_names(trained)} is trained with {trained[0].loss.name}",
            _evidence(fields, trained, training_source),
            outputs,
        )
    strange = [field for field in fields if _key(field) and field.target is None]
    if strange:
        return _finding(
            f"{strange[0].name} goes to no output of the model, which has "
            f"{join_names(item.name for item in outputs)}",
            _evidence(fields, trained, training_source),
            outputs,
        )
    if len(outputs) == 1 and _key(fields[0]) and _has_unnamed_outputs(data.model):
        return Finding(
            title=f"y is a dict, but {outputs[0].name} is the only output and bears no name in the "
            "model: Keras 3 takes an array",
            evidence=_evidence(fields, trained, training_source),
            fix=Fix(
                f"Give fit the array itself: {fields[0].name}. Or build the model with named "
                f"outputs: keras.Model(inputs, {{{outputs[0].name!r}: output}})."
            ),
        )
    if len(fields) not in (len(outputs), len(trained)):
        return _finding(
            f"y has {len(fields)} part{'s' if len(fields) != 1 else ''}, but {len(trained)} "
            f"outputs of the model are trained: {_names(trained)}",
            _evidence(fields, trained, training_source),
            outputs,
        )
    return None


def _has_unnamed_outputs(model: ModelFacts) -> bool:
    return model.named_outputs is False and not is_keras_2(model)


def _key(field: Field) -> str:
    """What stands in brackets behind y and begins with a letter: the key of a dict."""
    key = field.name.partition("[")[2].partition("]")[0]
    return key if key[:1] in ("'", '"') else ""


def _names(trained: tuple[Trained, ...]) -> str:
    return join_names(item.output.name for item in trained)


def _evidence(
    fields: tuple[Field, ...], trained: tuple[Trained, ...], source: Source
) -> tuple[Evidence, ...]:
    seen = join_names(field.name for field in fields) if fields else "no y"
    losses = ", ".join(f"{item.output.name}: {item.loss.name}" for item in trained)
    return Evidence(seen, source.container), Evidence(losses, "model, losses")


def _finding(
    title: str, evidence: tuple[Evidence, ...], outputs: tuple[ModelOutput, ...]
) -> Finding:
    if len(outputs) == 1:
        text = (
            "Give fit the labels as y; a dataset must yield (x, y), not one dict with both in it: "
            "dataset.map(lambda row: (row['x'], row['y'])). For an autoencoder the labels are the "
            "inputs: fit(x, x)."
        )
    else:
        wanted = ", ".join(f"{item.name!r}: …" for item in outputs)
        text = f"Give fit a label array for each output: y={{{wanted}}}."
    return Finding(title=title, evidence=evidence, fix=Fix(text))
