"""Random orders that the script does not seed, drawn from the seed of the run instead.

They stay as random as before: each epoch has an order of its own. But the same run, started again,
draws the same ones. Where the script sets a seed nothing is changed.
"""

import contextlib
import functools
import inspect
import random
import threading
from collections.abc import Callable, Iterator
from typing import Any

from fitguard.contract.hooks import Role
from fitguard.contract.libraries import Library
from fitguard.contract.patching import Wraps
from fitguard.contract.runtime import global_seed


def seeding_wraps(seed: int, finished: Callable[[], int] = lambda: 0) -> Wraps:
    """Give `tf.data.Dataset.shuffle` and its kin a seed where the script gives none.

    Args:
        seed: Of the run.
        finished: How many guarded `fit` calls have ended. The seeds after each are counted anew: a
            `fit` that is not trained again in a new process draws none.
    """
    drawn: dict[int, int] = {}
    lock = threading.Lock()

    def next_seed() -> int:
        with lock:
            fits = finished()
            drawn[fits] = drawn.get(fits, 0) + 1
            return random.Random(f"{seed}/{fits}/{drawn[fits]}").getrandbits(31)

    return {Role.SHUFFLE_MADE: functools.partial(_wrap_shuffle_init, next_seed=next_seed)}


def _wrap_shuffle_init(
    original: Callable[..., Any], _: Library, next_seed: Callable[[], int]
) -> Callable[..., Any]:
    signature = inspect.signature(original)

    @functools.wraps(original)
    def init(*arguments: Any, **named: Any) -> Any:
        bound = signature.bind(*arguments, **named)
        if bound.arguments.get("seed") is None and no_global_seed() and _eager():
            bound.arguments["seed"] = next_seed()
        return original(*bound.args, **bound.kwargs)

    return init


def no_global_seed() -> bool:
    """Whether the script has not called `tf.random.set_seed`."""
    return global_seed() is None


def _eager() -> bool:
    import tensorflow as tf

    # Inside a traced function one seed would serve all calls: the same order for each file.
    return bool(tf.executing_eagerly())


class ArrayOrders:
    """Whether Keras has drawn its orders from the seed of the run."""

    drawn = False


@contextlib.contextmanager
def array_orders(seed: int | None, fit: int, epoch: Callable[[], int]) -> Iterator[ArrayOrders]:
    """While Keras builds the dataset of an array: its shuffle draws from the seed of the run.

    Args:
        seed: None to leave it as it is.
        fit: Number of the `fit` call.
        epoch: The epoch whose order is drawn, asked when the order is needed.
    """
    orders = ArrayOrders()
    if seed is None or not no_global_seed():
        yield orders
        return
    import tensorflow as tf
    from tensorflow.compat import v2

    thread = threading.get_ident()
    original = tf.random.shuffle

    def shuffle(value: Any, *arguments: Any, **named: Any) -> Any:
        if threading.get_ident() != thread or arguments or named or value.dtype != tf.int64:
            return original(value, *arguments, **named)
        orders.drawn = True
        order = tf.numpy_function(
            lambda rows: _permute_rows(rows, seed, fit, epoch()), [value], tf.int64
        )
        order.set_shape(value.shape)
        return order

    modules = (tf.random, v2.random)
    try:
        for module in modules:
            module.shuffle = shuffle
        yield orders
    finally:
        for module in modules:
            module.shuffle = original


def _permute_rows(rows: Any, seed: int, fit: int, epoch: int) -> Any:
    import numpy as np

    # The first row tells batches apart where each is shuffled by itself.
    first = int(rows[0]) if len(rows) else 0
    return np.random.Generator(np.random.PCG64([seed, fit, epoch, first])).permutation(rows)
