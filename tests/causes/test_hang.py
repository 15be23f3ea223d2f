"""The run stands still."""

import pytest
from causes.tell import tell


@pytest.mark.parametrize(
    "text",
    [
        "Training hangs after the first epoch, GPU utilisation is 0 %.",
        "It is stuck at Epoch 1/50 and nothing is printed.",
        "The script freezes in model.fit and cannot be stopped with ctrl-c.",
        "Timeout (0:10:00)!\nThread 0x00007f01 (most recent call first):\n"
        '  File "/usr/lib/python3.9/threading.py", line 312 in wait',
        "The notebook never finishes the first step.",
        "INFO: task python3:2231 blocked for more than 120 seconds.\nTraining hangs.",
    ],
)
def test_it_hangs(text: str) -> None:
    assert tell(text).primary == "hang"


@pytest.mark.parametrize(
    "text",
    [
        "With the new driver training no longer hangs.",
        "Epoch 1/50\n  1/313 [....] - ETA: 12:31 - loss: 2.3",
        "The training hangs on four GPUs with MirroredStrategy, inside ncclAllReduce.",
        "It eats all the RAM and freezes until the kernel kills it.",
    ],
)
def test_it_does_not(text: str) -> None:
    assert tell(text).primary != "hang"


def test_an_error_counts_more_than_the_word() -> None:
    answer = tell(
        "The script hangs for a while, then:\nValueError: Shapes (None, 1) and (None, 10) are "
        "incompatible"
    )
    assert answer.primary == "data-shape-dtype"
