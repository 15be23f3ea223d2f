"""What a function of the user's returns for a batch, from what it returned for the pieces."""

from collections.abc import Set
from dataclasses import dataclass
from typing import Any, Literal

import tensorflow as tf

from fitguard.contract.own_functions import read_handles
from fitguard.keras.microbatch.joined_logs import PieceLogs
from fitguard.keras.microbatch.split import RETURNED, Split

Kind = Literal["nothing", "last", "rows", "number"]
"""How a value is joined: what the last piece says, one behind the other, or as the trial tells."""


@dataclass(frozen=True)
class Returned:
    """What a function returns, as it was traced.

    Args:
        structure: Of the values.
        kinds: Of each value.
    """

    structure: Any
    kinds: list[Kind]


def weigh_returned(returned: Any, split: Split, metrics: Set[int]) -> Any:
    """The values of a piece, and what each of them counts; how they are joined goes to `split`.

    Args:
        metrics: Identities of their variables: a value that depends on one has counted all pieces.
    """
    leaves = [None if leaf is None else _as_tensor(leaf) for leaf in tf.nest.flatten(returned)]
    kinds = [_kind_of(leaf, metrics) for leaf in leaves]
    structure = tf.nest.pack_sequence_as(returned, [None] * len(leaves))
    split.findings.returned = Returned(structure, kinds)
    weights = [
        split.weight_of_item(leaf, RETURNED) if kind == "number" and split.tried else split.share
        for leaf, kind in zip(leaves, kinds, strict=True)
    ]
    return leaves, weights


def join_returned(returned: Returned, pieces: list[PieceLogs]) -> Any:
    """The values for the whole batch."""
    values = zip(*(leaves for _, (leaves, _) in pieces), strict=True)
    weights = zip(*(weights for _, (_, weights) in pieces), strict=True)
    joined = [
        _join(kind, list(parts), list(counts))
        for kind, parts, counts in zip(returned.kinds, values, weights, strict=True)
    ]
    return tf.nest.pack_sequence_as(returned.structure, joined)


def _as_tensor(leaf: Any) -> Any:
    composite = isinstance(leaf, tf.RaggedTensor | tf.SparseTensor)
    return leaf if composite else tf.convert_to_tensor(leaf)


def _kind_of(leaf: Any, metrics: Set[int]) -> Kind:
    if leaf is None:
        return "nothing"
    if isinstance(leaf, tf.RaggedTensor | tf.SparseTensor):
        return "rows"
    if leaf.shape.rank is None or (leaf.shape.rank and leaf.shape[0] is None):
        return "rows"
    is_number = leaf.dtype.is_floating or leaf.dtype.is_integer or leaf.dtype.is_bool
    return "last" if not is_number or read_handles(leaf) & metrics else "number"


def _join(kind: Kind, parts: list[Any], weights: list[Any]) -> Any:
    if kind in ("nothing", "last") or len(parts) == 1:
        return parts[-1]
    if kind == "rows":
        if isinstance(parts[0], tf.SparseTensor):
            return tf.sparse.concat(axis=0, sp_inputs=parts)
        return tf.concat(parts, axis=0)
    if parts[0].dtype.is_floating:
        pairs = zip(parts, weights, strict=True)
        return tf.add_n([part * tf.cast(weight, part.dtype) for part, weight in pairs])
    is_sum = parts[0].dtype.is_integer and all(float(weight) == 1 for weight in weights)
    return tf.add_n(parts) if is_sum else parts[-1]
