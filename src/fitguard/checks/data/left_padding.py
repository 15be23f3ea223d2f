"""Sequences are padded in front or in between; a recurrent layer on a GPU needs it behind."""

from collections.abc import Iterator

from fitguard.checks.data.derived.masks import padding, refuses, severity
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
from fitguard.schema.data import Field
from fitguard.schema.finding import Finding, Fix
from fitguard.schema.model import ModelFacts, ModelInput


@check("FG646", "left-padding")
def left_padding(fed_everywhere: tuple[Fed, ...], model: ModelFacts) -> Iterator[Finding]:
    """
    ## What it means
    The model masks padding, and an LSTM or GRU reads the mask. On a GPU these layers run on cuDNN,
    which knows only the length of each sequence: all padding must come behind. Here some samples
    have it in front or in between. `pad_sequences` pads in front unless it is told otherwise.

    ## Why training crashes
    Keras 3 stops the step on a GPU: *You are passing a RNN mask that does not correspond to
    right-padded sequences, while using cuDNN, which is not supported*. On the CPU the same code
    runs, so it shows up only when the job reaches the GPU. tf_keras does not stop: it computes such
    batches without cuDNN, which is several times slower.

    ## How to fix it
    Pad behind: `pad_sequences(sequences, padding="post")`. Where padding must stay in front, or
    the padding value is a true value in between (an index 0 that is a word, a measurement that is
    0), give the layer `use_cudnn=False`, or take another value for padding.

    ## When this is wrong
    Layers with `use_cudnn=False`, or with settings that cuDNN does not have (another activation,
    `recurrent_dropout`, `unroll`), do not run on cuDNN; fitguard does not count them. On a machine
    without a GPU it is a warning only.

    ## References
    - Keras: `LSTM`, requirements of the cuDNN implementation; `pad_sequences`, argument `padding`
    - Tried with TensorFlow 2.21 and Keras 3.15 on an H200: LSTM and GRU stop with these words, and
      train with padding behind. tf_keras 2.21 trained with both; that it does without cuDNN there
      is read from its source (`is_cudnn_supported_inputs`)
    """
    for field, target in fed_everywhere:
        if field.padding is None or not field.padding.left_padded.count or not target.recurrent:
            continue
        found = field.padding.left_padded
        yield Finding(
            severity=severity(model),
            title=f"{number(found.count, 'sample')} of {format_field(field)} with padding in front "
            f"or in between{first_at(found)} ({among(field)}): {_consequence(target, model)}",
            evidence=(*spots(field, found), quote_field(field), padding(target)),
            fix=_fix(field, target),
        )


def _consequence(target: ModelInput, model: ModelFacts) -> str:
    layer = target.recurrent[0]
    if refuses(model):
        return f"{layer} stops on a GPU (cuDNN)"
    return f"{layer} does without cuDNN on a GPU, and is slow"


def _fix(field: Field, target: ModelInput) -> Fix:
    return Fix(
        f"Pad {format_field(field)} behind: pad_sequences(..., padding='post'). Or make "
        f"{', '.join(target.recurrent)} with use_cudnn=False, which is slower on a GPU.",
        changes_results=True,
    )
