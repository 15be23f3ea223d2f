"""A bug of the framework that other releases do not have."""

import pytest
from causes.tell import tell

ILLEGAL = "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered\n"


@pytest.mark.parametrize(
    ("text", "versions"),
    [
        (ILLEGAL + "Bidirectional LSTM with mask_zero=True", {"tf": "2.8"}),
        (ILLEGAL + "The GRU layers are masked.", {"tf": "2.9.1", "cudnn": "8.1.0"}),
        (
            "W tensorflow/core/framework/op_kernel.cc:1651] OP_REQUIRES failed at "
            "cudnn_rnn_ops.cc:1527 : Internal: Failed to call ThenRnnForward with model config: 2",
            {"tf": "1.15.2"},
        ),
        ("Process finished with exit code -1073740940 (0xC0000374)", {"tf": "2.5.0.dev20210305"}),
        ("Segmentation fault (core dumped)", {"tf": "2.12.0rc1"}),
        (
            "F tensorflow/core/kernels/maxpooling_op.cc:1122] Check failed: grad_in_index >= "
            "in_start && grad_in_index < in_end\nAborted\nThis happens since TF 2.3, 2.2 works.",
            {"tf": "2.3.0"},
        ),
        (
            "The program crashes with TF 2.6; it works with TF 2.5. Segmentation fault",
            {"tf": "2.6"},
        ),
    ],
)
def test_it_is_the_release(text: str, versions: dict[str, str]) -> None:
    assert tell(text, **versions).primary == "framework-bug"


@pytest.mark.parametrize(
    ("text", "versions"),
    [
        (ILLEGAL + "The GRU layers are masked.", {"tf": "2.9.1", "cudnn": "8.9.4"}),
        (ILLEGAL, {"tf": "2.8"}),
        ("OOM when allocating tensor with shape[64,512,512,64]", {"tf": "2.2.0rc3"}),
        ("Segmentation fault (core dumped)", {"tf": "2.12.0"}),
        ("Works fine with TF 2.4, only warnings are printed.", {"tf": "2.4"}),
    ],
)
def test_it_is_not_surely(text: str, versions: dict[str, str]) -> None:
    assert tell(text, **versions).primary != "framework-bug"


def test_a_fixed_cudnn_rules_the_masked_layers_bug_out_of_the_text() -> None:
    text = ILLEGAL + "Model with masked recurrent layers."
    with_bug = tell(text, tf="2.8", cudnn="8.1").causes[0]
    assert with_bug.cause == "framework-bug"
    assert "8.9.2" in with_bug.fix.text


@pytest.mark.parametrize(
    "text",
    [
        "InternalError: No allocator statistics",
        "InvalidArgumentError: Trying to access resource dense/bias/3 (defined @ core.py:40) "
        "located in device /job:localhost/replica:0/task:0/device:GPU:0 from device "
        "/job:localhost/replica:0/task:0/device:CPU:0",
        "The gradient of a grouped convolution crashes; 2.9.1 works.",
    ],
)
def test_faults_of_its_own_come_first(text: str) -> None:
    assert tell(text).causes[0].cause == "framework-bug"


def test_a_nightly_is_named() -> None:
    answer = tell("Aborted (core dumped)", tf="2.5.0.dev20210305")
    assert "2.5.0.dev20210305" in answer.causes[0].why
