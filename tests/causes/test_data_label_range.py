"""Labels and indices out of range."""

import pytest
from causes.tell import tell


@pytest.mark.parametrize(
    "text",
    [
        "InvalidArgumentError (see above for traceback): Received a label value of 5 which is "
        "outside the valid range of [0, 5).  Label values: 1 2 3 0 5",
        "Received a label value of -1 which is outside the valid range of [0, 80).",
        "InvalidArgumentError: indices[7,2] = 30001 is not in [0, 30000)\n"
        "\t [[{{node embedding_1/embedding_lookup}}]]",
        "W tensorflow/core/framework/op_kernel.cc:993] Invalid argument: indices[0] = [0,148] is "
        "out of bounds: need 0 <= index < [32,6]",
        "IndexError: index 26 is out of bounds for axis 1 with size 26",
        "InvalidArgumentError: Saw a non-null label (index >= num_classes - 1) following a null "
        "label, batch: 3 num_classes: 29",
        "ValueError: Target class id 9 is out of range, which is [0, 9).",
        "InvalidArgumentError: Bad: indices[2] == 40 out of range [0, 40) [Op:SparseSegmentSum]",
        "The maximum value of input_ids (30522) must be smaller than the embedding layer's input "
        "dimension (30000). The likely cause is some problem at tokenization time.",
        "InvalidArgumentError: Input arr must be non-negative! [Op:DenseBincount]",
        "tf.gather gives zeros for some ids on the card; the CPU reports an index error.",
        "The masks have 255 for the border, and on the CPU TensorFlow complains about the label.",
        "My labels start from 1 and the last layer has 10 units.",
    ],
)
def test_out_of_range(text: str) -> None:
    assert tell(text).primary == "data-label-range"


@pytest.mark.parametrize(
    "text",
    [
        "W tensorflow/core/framework/local_rendezvous.cc:404] Local rendezvous is aborting with "
        "status: OUT_OF_RANGE: End of sequence",
        "ValueError: Shapes (None, 1) and (None, 10) are incompatible",
        "IndexError: list index out of range",
        "Epoch 1/3\n10/10 - loss: 0.5 - accuracy: 0.8\nEpoch 2/3\n10/10 - loss: nan",
    ],
)
def test_in_range(text: str) -> None:
    assert tell(text).primary != "data-label-range"


def test_nan_from_the_first_step_on_is_suspected() -> None:
    at_once = tell("Epoch 1/2\n2/2 - 2s - loss: nan\nEpoch 2/2\n2/2 - 0s - loss: nan")
    assert at_once.primary == "numeric-nan"
    assert "data-label-range" in [cause.cause for cause in at_once.causes[:3]]


@pytest.mark.parametrize(
    ("value", "high", "said"),
    [("10", "10", "subtract 1"), ("-1", "80", "mask"), ("67", "1", "at least 68 units")],
)
def test_the_fix_counts(value: str, high: str, said: str) -> None:
    text = f"Received a label value of {value} which is outside the valid range of [0, {high})."
    answer = tell(text)
    assert said in answer.causes[0].fix.text
    assert answer.causes[0].fix.changes_results
    assert f"0 to {int(high) - 1}" in answer.causes[0].why
