"""The loss is no number."""

import pytest
from causes.tell import tell


@pytest.mark.parametrize(
    "text",
    [
        "Epoch 4/10\n120/469 [======>.......] - ETA: 3s - loss: nan - accuracy: 0.0987",
        "120/469 ━━━━━━━━━━━━━━━━━━━━ 3s 8ms/step - accuracy: 0.0987 - loss: nan",
        "INFO:tensorflow:loss = nan, step = 4301 (12.3 sec)",
        "ERROR:tensorflow:Model diverged with loss = NaN.",
        "Batch 12: Invalid loss, terminating training",
        "InvalidArgumentError: Gradient for conv1/kernel is NaN : Tensor had NaN values",
        "{'loss': nan, 'val_loss': nan}",
        "After 2000 steps the loss becomes NaN and all predictions are NaN.",
        "Gradients are nan with mixed_float16, float32 is fine.",
        "step 12 loss: inf",
        "RuntimeError: NaN or Inf loss encountered at batch 7. Loss value: inf.",
        "[D loss: nan, acc.: 50.00%] [G loss: nan]",
        "The gradients blow up to infinity; exploding gradients, I think.",
    ],
)
def test_nan(text: str) -> None:
    assert tell(text).primary == "numeric-nan"


@pytest.mark.parametrize(
    "text",
    [
        "Epoch 00001: val_loss improved from inf to 0.34521, saving model to best.h5",
        "Epoch 1/5\n10/10 - loss: 0.3412 - val_loss: 0.2",
        "Training in float32 works without any nan.",
        "INFO: Jetson Nano, loss: 0.2",
    ],
)
def test_numbers(text: str) -> None:
    assert tell(text).primary != "numeric-nan"


def test_half_precision_has_its_own_fix() -> None:
    half = tell("Loss is inf with mixed_float16").causes[0].fix
    full = tell("loss: nan").causes[0].fix
    assert "float32" in half.text
    assert "learning rate" in full.text
    assert half.changes_results
    assert full.changes_results
