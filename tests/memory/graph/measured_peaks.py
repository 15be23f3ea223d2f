"""Peaks of TensorFlow's GPU allocator, in use during the second step, in MiB.

Taken on one NVIDIA H200 with TensorFlow 2.21 and jit_compile=False from the allocator's log, which
names every block; convolutions' workspaces are in them. The models are those of bench/plan.
"""

from typing import NamedTuple


class Peak(NamedTuple):
    """What was measured for one model.

    Args:
        kind: The module of bench/plan: `models_given`, `models_seen`.
    """

    kind: str
    model: str
    policy: str
    optimizer: str
    batch_size: int
    mib: int


PEAKS = (
    Peak("models_given", "mlp", "float32", "adam", 4096, 497),
    Peak("models_given", "lstm", "float32", "adam", 32, 497),
    Peak("models_given", "gpt", "float32", "adam", 8, 1300),
    Peak("models_seen", "gru_bidirectional", "float32", "adam", 64, 512),
    Peak("models_seen", "convlstm", "float32", "adam", 8, 210),
    Peak("models_seen", "lstm_masked", "float32", "rmsprop", 32, 322),
    Peak("models_seen", "wide_and_deep", "float32", "adagrad", 20000, 540),
    Peak("models_seen", "residual_mlp", "float32", "adafactor", 1024, 783),
    Peak("models_seen", "unet_transpose", "float32", "adam", 8, 435),
    Peak("models_seen", "causal_conv1d", "float32", "adam", 16, 588),
    Peak("models_seen", "vgg_like", "mixed_float16", "adam", 64, 1157),
)
SLOW = frozenset(("gpt", "lstm_masked", "residual_mlp", "unet_transpose", "causal_conv1d"))
"""Their traces take seconds; `make bench` has them."""
