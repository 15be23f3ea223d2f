"""The loss or the gradients are no longer numbers."""

from fitguard.causes.framework.registry import cause
from fitguard.causes.framework.scales import Scales, Verdict
from fitguard.schema.crash import Story
from fitguard.schema.finding import Fix


@cause("numeric-nan")
def numeric_nan(story: Story) -> Verdict | None:
    """
    ## What it means
    Somewhere a value overflowed, zero was divided by zero, or the logarithm of zero was taken. One
    step later every weight is nan, and the model is lost. The machine is in order.

    ## How to be sure
    - `tf.debugging.enable_check_numerics()` names the first operation that gives nan or inf.
    - Does it come at once or after many steps? At once: data, labels, loss. Later: the learning
      rate, exploding gradients, an unlucky batch.
    - `np.isnan(x).any()`, `np.isinf(x).any()` on the data and the labels.
    - In half precision: does it vanish in float32?

    ## How to fix it
    - Lower the learning rate to a tenth; warm it up.
    - Clip the gradients: `clipnorm=1.0` in the optimizer.
    - Scale the inputs to about -1 … 1; take out rows with nan.
    - Let the loss take logits (`from_logits=True`) instead of a softmax of your own; add a small
      number under logarithms, roots and divisions.
    - mixed_float16: use the loss scale optimizer, keep the last layer in float32, or take
      mixed_bfloat16 on GPUs from Ampere on.
    - Go back to a checkpoint from before.

    ## When this reading is wrong
    On a GPU labels that are out of range also give nan, without any error. Single inf gradients are
    normal under loss scaling: the step is left out.

    ## References
    - TensorFlow guide: mixed precision; tf.debugging.enable_check_numerics
    - Keras, TerminateOnNaN
    """
    scales = Scales()
    scales.add(0.9, story.first("nan-found"))
    scales.add(0.84, story.first("loss-nan"))
    scales.add(0.78, story.first("nan-told"))
    if scales.weight > 0:
        scales.add(0.2, story.first("half-precision-told"))
    scales.add(0.3, story.first("invalid-value"))
    if story.has("label-out-of-range", "index-out-of-range", "label-range-told"):
        scales.take(0.4)
    return scales.verdict(why=_why(story), fix=_fix(story))


def _why(story: Story) -> str:
    if story.has("half-precision-told"):
        return (
            "Values that are not numbers appear in half precision, whose largest number is 65504 "
            "for float16: something overflows."
        )
    if story.has("nan-found"):
        return "A check of the program met a value that is not a number."
    return "The loss turned into a value that is not a number while the machine worked well."


def _fix(story: Story) -> Fix:
    if story.has("half-precision-told"):
        return Fix(
            "Wrap the optimizer into a loss scale optimizer (Keras' compile does so under "
            "mixed_float16), keep the last layer and the loss in float32, or train in "
            "mixed_bfloat16 (Ampere and newer) or float32.",
            changes_results=True,
        )
    return Fix(
        "First make sure that the data hold no nan and that all labels are in range; then divide "
        "the learning rate by ten and set `clipnorm=1.0`. "
        "`tf.debugging.enable_check_numerics()` names the operation where it begins.",
        changes_results=True,
    )
