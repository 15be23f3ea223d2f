"""A convolution without autotuning: the algorithm that cuDNN itself chooses.

## What is done
The same as in `convolution`, with `TF_CUDNN_USE_AUTOTUNE=0`: no algorithms are tried.

## How it is judged
As `convolution`.

## What a failure means
If `convolution` passes, the algorithm that cuDNN's heuristic names is at fault, and autotuning is
to stay on. If both fail, cuDNN does not work here.
"""

from .. import convolutions

NAME = "convolution-without-autotuning"
LEVEL = "medium"
SECONDS = 4
LIMIT_SECONDS = 180
ENVIRONMENT = {"TF_CUDNN_USE_AUTOTUNE": "0"}


def run(bench):
    """Compare both types."""
    return convolutions.check_both_types(bench)
