# -*- coding: utf-8 -*-
"""A convolution, forward and backward, through cuDNN.

## What is done
A convolution of 3 x 3 in two dimensions is computed on the device, and its gradients by the images
and by the kernel, in float32 (TF32 is off) and in float16. cuDNN tries several algorithms and takes
the fastest, as it does in training. The same is computed in float64 on the CPU, and compared.

## How it is judged
Each element is a sum of n terms. As in `matmul-float32`, it may differ by 4 · (2u + v√n) of the
largest one, where u is the rounding of the type and v that of the type in which sums are added
(float32 on a GPU). Winograd's algorithm, which cuDNN may choose, amplifies rounding, so four times
that is allowed: 3 · 10⁻⁵ in float32 and 2 % in float16 for 576 terms.

## What a failure means
cuDNN does not start (a version that does not fit, no memory left for it), or gives wrong numbers.
If `convolution-without-autotuning` passes, one of its algorithms is at fault:
`TF_CUDNN_USE_AUTOTUNE=0` avoids the trial.
"""

from .. import convolutions

NAME = "convolution"
LEVEL = "quick"
SECONDS = 4
LIMIT_SECONDS = 180


def run(bench):
    """Compare both types."""
    return convolutions.check_both_types(bench)
