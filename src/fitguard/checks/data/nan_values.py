"""The data holds nan: one is enough to ruin the model, whether or not the loss shows it."""

from collections.abc import Iterator

from fitguard.checks.data.derived.not_finite import build_finding
from fitguard.checks.data.derived.wording import finding_all, format_field
from fitguard.checks.framework.registry import check
from fitguard.schema.data import Field
from fitguard.schema.finding import Confidence, Finding
from fitguard.schema.model import ModelFacts


@check("FG640", "nan-values")
def nan_values(seen_fields: tuple[Field, ...], model: ModelFacts) -> Iterator[Finding]:
    """
    ## What it means
    Some values are nan, *not a number*: a gap in a table, a sensor that gave nothing, 0 / 0 or the
    logarithm of a negative number in the preparation of the data.

    ## Why training crashes
    Nothing is raised. What is computed with a nan is nan: the loss of the batch, its gradients, and
    after that one step the weights of the model. All later steps are lost, and so is what is saved
    after them. In the validation data it makes `val_loss` nan: EarlyStopping and ModelCheckpoint
    then compare with nan and never see a better epoch.

    Whether the loss shows it depends on the kernel that computes relu. Most pass the nan on. Some
    put 0 in its place, such as oneDNN's matrix product with relu on CPUs with AVX-512. There
    the loss stays a number, and so does `val_loss`, while the weights behind the nan are nan all
    the same: from then on the layer gives 0 for every sample, and training goes on without it.
    That is worse, because nobody notices.

    ## How to fix it
    Find out why the value is missing. Then leave these samples out, or put something in its place:
    the median of the column, with a further column that says *was missing*. `numpy.nan_to_num`
    puts 0, which is right only where 0 means *nothing*. Compute means and deviations without the
    gaps (`numpy.nanmean`). A label that is missing: leave the sample out, or give it
    the sample weight 0 and a number as label (0 times nan is still nan).

    ## When this is wrong
    A layer or loss of your own may replace nan by something else before it computes. fitguard does
    not see inside them.

    ## References
    - IEEE 754: operations on nan give nan
    - Tried with TensorFlow 2.21 and Keras 3.15 on CPUs with and without AVX-512, with and without
      `TF_ENABLE_ONEDNN_OPTS=0`, with nan in x, in y and in the sample weights
    """
    for field in seen_fields:
        if field.nans.count:
            fix = (
                f"Leave out the samples of {format_field(field)} that hold a nan, or fill the "
                f"gaps, before fit gets it.{finding_all(field, 'isnan')}"
            )
            yield build_finding(field, field.nans, "nan", fix, _confidence(field, model))


def _confidence(field: Field, model: ModelFacts) -> Confidence:
    """Code of the user's own may take care of the nan."""
    if model.custom_step or model.kind == "subclassed":
        return "medium"
    own_loss = any(
        output.loss is not None and output.loss.custom
        for output in model.outputs or ()
        if field.role == "y" and output.name == field.target
    )
    return "medium" if own_loss else "high"
