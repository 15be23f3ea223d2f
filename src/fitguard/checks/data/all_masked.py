"""A sequence holds nothing but padding, and a layer behind the mask cannot take that."""

from collections.abc import Iterator

from fitguard.checks.data.derived.masks import format_padding, padding, refuses, severity
from fitguard.checks.data.derived.pairs import Fed
from fitguard.checks.data.derived.wording import (
    among,
    first_at,
    format_field,
    number,
    quote_field,
    spots,
)
from fitguard.checks.framework.registry import check
from fitguard.schema.finding import Finding, Fix
from fitguard.schema.model import ModelFacts, ModelInput


@check("FG645", "all-masked")
def all_masked(fed_everywhere: tuple[Fed, ...], model: ModelFacts) -> Iterator[Finding]:
    """
    ## What it means
    The model masks padding (`mask_zero=True`, or a Masking layer). Some samples are padding from
    end to end: an empty text, or one of which no word is in the vocabulary.

    ## Why training crashes
    A layer that averages over the steps (GlobalAveragePooling1D) divides by the number of those
    that are not masked: 0 / 0 is nan, and after that one step all weights are nan. LSTM and GRU on
    a GPU run on cuDNN, which cannot take a sequence of length 0: Keras 3 stops the step with
    *You are passing a RNN mask that does not correspond to right-padded sequences*. Early
    versions of TensorFlow 2 stopped with CUDNN_STATUS_BAD_PARAM. On the CPU, LSTM and GRU take it.

    ## How to fix it
    Leave these samples out; there is nothing in them to learn from. Or give an empty sequence one
    step that says so: an index of its own for *empty* instead of the padding.

    ## When this is wrong
    With `use_cudnn=False` the recurrent layers take such sequences on a GPU too (fitguard then does
    not count them). On a machine without a GPU it is a warning only. Layers of your own that read
    the mask are not looked at.

    ## References
    - tensorflow/tensorflow issues 33148, 36139 and 43103 (CUDNN_STATUS_BAD_PARAM)
    - Keras: `LSTM`, requirements of the cuDNN implementation
    - Tried with TensorFlow 2.21 and Keras 3.15 on the CPU: the nan, and the test of the mask that
      Keras makes before it calls cuDNN. Both were seen on an H200 too; tf_keras 2.21 trained there
    """
    for field, target in fed_everywhere:
        if field.padding is None or not field.padding.all_masked.count:
            continue
        if not target.averaged and not (target.recurrent and refuses(model)):
            continue
        empty = field.padding.all_masked
        yield Finding(
            severity="error" if target.averaged else severity(model),
            title=f"{number(empty.count, 'sample')} of {format_field(field)} with nothing but "
            f"padding{first_at(empty)} ({among(field)}): {_consequence(target)}",
            evidence=(*spots(field, empty), quote_field(field), padding(target)),
            fix=Fix(
                f"Leave these samples out of {format_field(field)}, or give each one step that is "
                f"not {format_padding(target)}.",
                changes_results=True,
            ),
        )


def _consequence(target: ModelInput) -> str:
    if target.averaged:
        return f"the average of {target.averaged[0]} is nan"
    return f"{target.recurrent[0]} stops on a GPU (cuDNN)"
