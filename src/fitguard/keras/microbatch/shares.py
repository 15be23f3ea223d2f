"""A batch under a strategy: each replica has a share of it, and cuts that.

TensorFlow has split the batch before: here its shares are only told apart. A strategy of one device
has one share, the whole batch.
"""

import itertools
import math
from typing import NamedTuple

import tensorflow as tf

from fitguard.keras.microbatch import cutting


class Piece(NamedTuple):
    """Rows of a share.

    Args:
        idle: The replica has no rows left while others have. All must run, so it gets a row that it
            has had before, and what comes of it does not count.
    """

    start: int
    stop: int
    idle: bool = False


def this_replica() -> int:
    """The number of the replica whose code is being traced, or run."""
    context = tf.distribute.get_replica_context()
    # With one replica, nobody knows it while a graph is traced.
    return int(tf.get_static_value(context.replica_id_in_sync_group) or 0)


def rounds(wholes: list[int], rows: int) -> list[list[Piece]]:
    """What the replicas do one after the other: in each round, a piece for each of them.

    Args:
        wholes: Rows of the shares.
        rows: At most so many in a piece.

    Example:
        >>> [[piece[:2] for piece in each] for each in rounds([6, 5], 4)]
        [[(0, 4), (0, 4)], [(4, 6), (4, 5)]]
    """
    number = max(math.ceil(whole / max(rows, 1)) for whole in wholes)
    columns = [_pieces(whole, rows, number) for whole in wholes]
    return [list(each) for each in zip(*columns, strict=True)]


def _pieces(whole: int, rows: int, number: int) -> list[Piece]:
    found = [Piece(*at) for at in cutting.bounds(whole, rows)]
    if len(found) < number <= whole:
        ends = [whole * index // number for index in range(number + 1)]
        return [Piece(start, stop) for start, stop in itertools.pairwise(ends)]
    return found + [Piece(0, 1, idle=True)] * (number - len(found))
