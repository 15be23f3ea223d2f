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


@pytest.mark.parametrize(
    ("text", "more"),
    [
        ("Training hangs in TF 2.5. With TF 2.7 the same script runs.", "framework-bug"),
        ("The training freezes and only a reboot brings the card back.", "driver-broken"),
        ("Training freezes; nvidia-smi shows ERR! for the card.", "hardware-fault"),
    ],
)
def test_where_more_is_known_it_is_a_symptom(text: str, more: str) -> None:
    answer = tell(text)
    assert answer.primary != "hang"
    assert more in [cause.cause for cause in answer.causes[:2]]


def test_on_windows_the_release_or_the_driver_is_suspected_first() -> None:
    answer = tell("The script freezes in the middle of an epoch.", os="windows")
    assert answer.primary is None
    assert answer.causes[0].cause == "framework-bug"
    assert "hang" in [cause.cause for cause in answer.causes]


def test_other_causes_are_listed_beside() -> None:
    listed = [cause.cause for cause in tell("model.fit gets stuck after the first epoch.").causes]
    assert listed[0] == "hang"
    assert {"framework-bug", "driver-broken", "multi-gpu-comm"} <= set(listed)


def test_an_error_counts_more_than_the_word() -> None:
    answer = tell(
        "The script hangs for a while, then:\nValueError: Shapes (None, 1) and (None, 10) are "
        "incompatible"
    )
    assert answer.primary == "data-shape-dtype"
