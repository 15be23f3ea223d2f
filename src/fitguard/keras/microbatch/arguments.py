"""What a function is called with: its tensors, and all else, on which its trace depends."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from fitguard.keras.microbatch.cutting import Layout, whole_rows
from fitguard.memory.recomputing.recomputed import identify
from fitguard.schema.exit_codes import UsageError

_TENSORS = (tf.Tensor, np.ndarray, np.generic, tf.RaggedTensor, tf.SparseTensor)


class Arguments:
    """The arguments of one call.

    Attributes:
        tensors: Those among them, as nested as they may be.
        key: The same for calls that differ in their tensors only.
    """

    def __init__(self, given: tuple[Any, ...], named: dict[str, Any]) -> None:
        leaves = tf.nest.flatten((given, named))
        self.tensors = tuple(leaf for leaf in leaves if isinstance(leaf, _TENSORS))
        # Not the tensors: they may be large.
        self._leaves = [_Tensor if isinstance(leaf, _TENSORS) else leaf for leaf in leaves]
        self._structure = tf.nest.map_structure(lambda _: None, (given, named))
        self.key = (str(self._structure), *(identify(leaf) for leaf in self._leaves))

    @property
    def numbers(self) -> int:
        """In all tensors."""
        dense = tf.nest.flatten(self.tensors, expand_composites=True)
        return sum(math.prod(one.shape) for one in dense)

    def fill(self, tensors: Sequence[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments with other tensors."""
        rest = iter(tensors)
        leaves = [next(rest) if leaf is _Tensor else leaf for leaf in self._leaves]
        given, named = tf.nest.pack_sequence_as(self._structure, leaves)
        return given, named

    def describe_no_rows(self) -> str:
        """Why they cannot be cut along their first axis; empty where they can."""
        if not self.tensors:
            return (
                "Received: no tensor among the arguments. Expected: tensors that have a row for"
                " each row of the batch."
            )
        try:
            rows = whole_rows(Layout(self.tensors).leaves(self.tensors))
        except UsageError as error:
            return str(error)
        return "" if rows else "Received: a batch of 0 rows. Expected: 1 or more."


class _Tensor:
    """Stands where a tensor was."""
