"""A label or an index lies outside of the range that the model was built for."""

from fitguard.causes.framework.registry import cause
from fitguard.causes.framework.scales import Scales, Verdict
from fitguard.schema.crash import Signal, Story
from fitguard.schema.finding import Fix


@cause("data-label-range")
def data_label_range(story: Story) -> Verdict | None:
    """
    ## What it means
    A class number is as large as the number of classes or larger, or negative; or an embedding is
    asked for a row that it does not have. On the CPU TensorFlow says so. On the GPU it says
    nothing: the loss turns to nan, an embedding gives zeros, or an address that is not valid is
    touched.

    ## How to be sure
    - `y.min()`, `y.max()` against the units of the last layer; `x.max()` against `input_dim` of
      the embedding. The largest number must be one less.
    - Run one batch on the CPU (`CUDA_VISIBLE_DEVICES=-1`): there the error names the value.

    ## How to fix it
    - Labels that begin at 1: subtract 1, or give the last layer one unit more.
    - Labels of a part of the classes (0, 3, 7): number them anew, `np.unique(y,
      return_inverse=True)`.
    - Masks and images with 255 for *ignore*: leave these pixels out of the loss
      (`ignore_class=255`) or set them to a class of their own.
    - Embeddings: `input_dim` is the largest index plus one; the vocabulary and the checkpoint must
      belong together.

    ## When this reading is wrong
    A loss that is nan from the first step on has other reasons too: nan in the data, a division by
    zero. Indices that are computed in the model may overflow int32.

    ## References
    - TensorFlow, tf.nn.sparse_softmax_cross_entropy_with_logits, tf.gather: on GPU out of range
      indices give nan or zeros
    - tensorflow/models issue 15
    """
    scales = Scales()
    scales.add(0.95, story.first("label-out-of-range"))
    scales.add(0.86, story.first("index-out-of-range"))
    scales.add(0.6, story.first("boxes-out-of-range"))
    scales.add(0.64, story.first("label-range-told"))
    scales.add(0.4, story.first("device-assert"))
    if not story.has("label-out-of-range", "index-out-of-range"):
        scales.add(0.3, _nan_at_once(story))
        scales.add(0.15, story.first("illegal-address", "loss-nan"))
    return scales.verdict(why=_why(story), fix=_fix(story))


def _nan_at_once(story: Story) -> Signal | None:
    """The loss is nan already where the first numbers of it are printed."""
    first = story.first("loss-nan")
    begin = story.first("epoch-line")
    second = next((line for line in story.all("epoch-line") if line.values["epoch"] == "2"), None)
    if first is None or begin is None or int(begin.values["epoch"]) != 1:
        return None
    return first if second is None or first.order < second.order else None


def _why(story: Story) -> str:
    line = story.first("label-out-of-range")
    if line is not None and "high" in line.values:
        value, high = line.values["value"], int(line.values["high"])
        return f"The label {value} came, and the model knows the classes 0 to {high - 1}."
    line = story.first("index-out-of-range")
    if line is not None:
        index = line.values.get("value") or line.values.get("index")
        size = next((line.values[k] for k in ("size", "axis_size", "high") if k in line.values), "")
        end = f"; there are {size} entries, numbered from 0" if size else ""
        asked = f"The index {index.strip()}" if index else "An index"
        return f"{asked} points behind the end of a table{end}."
    if story.has("loss-nan"):
        return (
            "The loss is nan from the first steps on, and on a GPU a label out of range shows in "
            "no other way."
        )
    return "Labels or indices outside of their range fit what was seen."


def _fix(story: Story) -> Fix:
    line = story.first("label-out-of-range")
    if line is not None and "high" in line.values and line.values["value"] == line.values["high"]:
        return Fix(
            f"The labels seem to begin at 1: subtract 1 from them, or give the last layer "
            f"{int(line.values['high']) + 1} units.",
            changes_results=True,
        )
    if line is not None and line.values.get("value", "").startswith("-"):
        return Fix(
            f"{line.values['value']} is no class: take these samples out, or mask them in the loss "
            "(`ignore_class`).",
            changes_results=True,
        )
    if line is not None and "high" in line.values:
        return Fix(
            f"Give the last layer at least {int(line.values['value']) + 1} units (it has "
            f"{line.values['high']}), or number the labels without gaps from 0 to "
            f"{int(line.values['high']) - 1}.",
            changes_results=True,
        )
    return Fix(
        "Labels must be below the number of units of the last layer, indices below `input_dim` of "
        "the embedding.",
        changes_results=True,
    )
