"""The data have a shape or a type that the model, the loss or the operation does not take."""

from fitguard.causes.framework.registry import cause
from fitguard.causes.framework.scales import Scales, Verdict
from fitguard.schema.crash import Signal, Story
from fitguard.schema.finding import Fix


@cause("data-shape-dtype")
def data_shape_dtype(story: Story) -> Verdict | None:
    """
    ## What it means
    Two things that meet do not fit: a batch and the first layer, the labels and the loss, two
    tensors in an operation, saved weights and the model. Or the type is wrong: rows of different
    length become an array of objects, numbers come as text, float64 meets float32. The GPU and its
    libraries are in order; no install will cure it.

    ## How to be sure
    - Print `x.shape`, `x.dtype`, `y.shape`, `y.dtype` of one batch, and compare with
      `model.input_shape` and `model.output_shape`.
    - The error names both shapes: find out which of the two you did not expect.
    - Shapes that differ only in the last batch: see `drop_remainder`.

    ## How to fix it
    - Labels as class numbers go with `sparse_categorical_crossentropy` and shape (batch,); one-hot
      labels go with `categorical_crossentropy` and shape (batch, classes).
    - Convolutions want (batch, height, width, channels): add the missing axis, check
      `image_data_format`.
    - *Failed to convert a NumPy array*: pad the rows to one length, then
      `np.asarray(x, "float32")`.
    - cuDNN's recurrent layers want masks that are padded at the end only, and no empty sequence.
    - Models that were built for another image size: a Flatten before a Dense fixes the size.

    ## When this reading is wrong
    With mixed Keras versions a call can hand over the arguments in the wrong order; then the shapes
    make no sense at all. `CUDNN_STATUS_BAD_PARAM` outside of recurrent layers may be a bug of the
    release.

    ## References
    - Keras, losses; masking and padding
    - tensorflow/tensorflow issues 33069, 33148 (masks and cuDNN)
    """
    scales = Scales()
    scales.add(0.9, story.first("input-shape-wrong"))
    scales.add(0.9, story.first("mask-not-right-padded"))
    scales.add(0.86, story.first("shapes-differ"))
    scales.add(0.86, story.first("dtype-wrong"))
    scales.add(0.7, story.first("record-unreadable"))
    scales.add(0.74, story.first("shape-refused"))
    scales.add(0.55, story.first("shape-spoken-of"))
    scales.add(0.52, story.first("data-refused"))
    scales.add(0.55, story.first("cudnn-bad-param"))
    scales.add(0.5, story.first("cudnn-rnn-descriptor"))
    scales.add(0.5, story.first("shape-told"))
    scales.add(0.45, _invalid_argument(story))
    if story.has("inside-tensorflow-import"):
        scales.take(0.5)
    return scales.verdict(why=_why(story), fix=_fix(story))


def _invalid_argument(story: Story) -> Signal | None:
    """TensorFlow found an argument wrong, and arguments are data."""
    found = story.all("exception")
    return next((e for e in found if e.values.get("type") == "InvalidArgumentError"), None)


def _why(story: Story) -> str:
    if story.has("record-unreadable"):
        return "A file or a record of the dataset is not what the program takes it for."
    if story.has("input-shape-wrong"):
        return "Keras compared the data with what the model expects, and they differ."
    if story.has("mask-not-right-padded", "cudnn-rnn-descriptor"):
        return "cuDNN refused the lengths of the sequences: it takes padding at the end only."
    if story.has("dtype-wrong"):
        return "The operation does not take values of this type."
    if story.has("cudnn-bad-param"):
        return "cuDNN was given a shape that it does not take."
    return "Two tensors that meet in one operation have shapes that do not fit."


def _fix(story: Story) -> Fix:
    if story.has("mask-not-right-padded", "cudnn-rnn-descriptor"):
        return Fix(
            "Pad every sequence at its end (`pad_sequences(…, padding='post')`) and leave none "
            "empty. Else build the layer without cuDNN: `layers.RNN(layers.LSTMCell(units))`.",
        )
    if story.has("dtype-wrong"):
        return Fix(
            "Make one array of numbers of it before training: pad rows to one length, turn text "
            "into numbers, then `np.asarray(x, dtype='float32')`, and labels to 'int32'.",
        )
    if story.has("record-unreadable"):
        return Fix(
            "Find the file at fault: read the whole dataset once without the model, and print each "
            "name. Then leave it out or rewrite it; check that the features of the records are "
            "the ones that were written.",
        )
    line = story.first("shapes-differ")
    if line is not None and any(word in line.text for word in ("logits", "labels", "target")):
        return Fix(
            "Make loss and labels fit: class numbers of shape (batch,) with "
            "`sparse_categorical_crossentropy`, one-hot labels with `categorical_crossentropy`, "
            "and as many units in the last layer as there are classes.",
        )
    return Fix(
        "Resize, reshape or pad the data, or build the model for the shape that the data have.",
    )
