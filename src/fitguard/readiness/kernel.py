"""One kernel of a script: a layer, as it is made and called there."""

import json
import math
from typing import Any

import msgspec

from fitguard.probes.target.layer_call import list_arrays

ELEMENTWISE = frozenset(
    (
        *("Activation", "ReLU", "LeakyReLU", "ELU", "Rescaling", "Concatenate"),
        *("Add", "Subtract", "Multiply", "Average", "Maximum", "Minimum"),
        *("ZeroPadding1D", "ZeroPadding2D", "ZeroPadding3D"),
        *("Cropping1D", "Cropping2D", "Cropping3D"),
    )
)
"""Shapes do not choose their kernel: the largest stands for all."""


class Kernel(msgspec.Struct, frozen=True, kw_only=True):
    """A layer, and what it is called with. `probes/target/layer.py` reads it.

    Args:
        name: That of the first layer that is made and called so.
        library: `keras` or `tf_keras`: what is imported.
        made: `{"class_name": …, "arguments": …}`: the class of `keras.layers`, and the arguments
            that are not the default and change what is computed. A layer in them is such a dict.
        policy: The dtype policy: `float32`, `mixed_float16`.
        args, kwargs: Of the call. An array is `{"shape": …, "dtype": …, "fill": …}`, where `fill`
            is `normal`, `index` (with `below`), `bits` or `lengths`; lists and dicts of them are
            what they are; anything else is `{"value": …}`.
        keras_3: Whether the library is Keras 3.
        batch_size: The first axis of all arrays that grow with the batch.
        training: Whether it is called as in training: not where that would draw random numbers.
        tf32: Whether the script lets float32 be computed in TF32.
        xla: Whether XLA compiles the script's step on a GPU.
        count: How many layers are made and called so.
    """

    name: str
    library: str
    made: dict[str, Any]
    policy: str
    args: list[Any]
    kwargs: dict[str, Any]
    keras_3: bool
    batch_size: int
    training: bool | None = None
    tf32: bool = True
    xla: bool = False
    count: int = 1

    @property
    def class_name(self) -> str:
        """Of `keras.layers`."""
        return str(self.made["class_name"])

    @property
    def identity(self) -> str:
        """The same for kernels that compute alike."""
        call = None if self.class_name in ELEMENTWISE else [self.args, self.kwargs]
        return json.dumps([self.made, self.policy, call, self.training], sort_keys=True)

    @property
    def elements(self) -> int:
        """Of the largest array that it is given."""
        given = list_arrays([*self.args, *self.kwargs.values()])  # type: ignore[no-untyped-call]
        return max((math.prod(one["shape"]) for one in given), default=0)


class FitKernels(msgspec.Struct, frozen=True, kw_only=True):
    """What one `fit` uses.

    Args:
        line: Of the script.
        left_out: What is not probed, with the reason, one sentence each.
    """

    line: int = 0
    kernels: tuple[Kernel, ...] = ()
    left_out: tuple[str, ...] = ()
