"""One function over all parts of a batch. What it takes and gives waits in host memory, or on the
card.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import tensorflow as tf

HAS_GPU = bool(tf.config.list_physical_devices("GPU"))
DEVICE = "GPU:0" if HAS_GPU else "CPU:0"
AHEAD = 2
"""So many parts are on the card at a time: one comes or goes while another is computed with."""

Merge = Callable[[Any, Any, int], Any]
"""The small results of so many parts, and those of one more, as one."""


@dataclass
class Waiting:
    """The parts of one tensor.

    Args:
        host: In host memory. Without a GPU these are arrays, which no allocator counts.
        card: On the card; both, where it is read again soon and then once more later.
    """

    host: list[Any] | None
    card: list[Any] | None = None


@dataclass(frozen=True)
class Pass:
    """Runs a function on each part. On a GPU, parts are copied while others are computed with.

    Args:
        body: Takes what is shared by all parts, and the tensors of one; gives a large tensor, or
            None, and small ones.
        merge: Makes one of the small ones of all parts.
        to_host: Whether the large one goes to the host.
        on_card: Whether it stays on the card.
        holds: Whether what comes from the host stays on the card.
    """

    body: Callable[..., tuple[Any, Any]]
    merge: Merge
    to_host: bool = True
    on_card: bool = False
    holds: bool = False

    def __post_init__(self) -> None:
        run = tf.function(self._unroll if HAS_GPU else self.body, autograph=False)
        object.__setattr__(self, "_run", run)

    def __call__(self, shared: Any, *given: Waiting) -> tuple[Waiting, Any, dict[str, int]]:
        """The large result, the small ones, and the bytes that were copied."""
        is_near = tuple(one.card is not None for one in given)
        parts = [one.host if one.card is None else one.card for one in given]
        run = self._run if HAS_GPU else self._loop
        host, card, came, small = run(shared, is_near, *parts)
        if HAS_GPU and any("CPU" not in one.device for one in host):
            raise RuntimeError("What should lie in host memory stayed on the card.")
        if self.holds:
            for one, tensors in zip(given, came, strict=True):
                one.card = tensors
        far = [one for one, near in zip(parts, is_near, strict=True) if not near]
        moved = {"from_host_bytes": sum(map(_sum_up, far)), "to_host_bytes": _sum_up(host)}
        return Waiting(host or None, card or None), small, moved

    def _loop(self, shared: Any, is_near: Sequence[bool], *given: list[Any]) -> tuple[Any, ...]:
        host, card, came, total = [], [], [], None
        for index, part in enumerate(zip(*given, strict=True)):
            part = [
                one if near else tf.constant(one) for one, near in zip(part, is_near, strict=True)
            ]
            large, small = self._run(shared, *part)
            host += [large.numpy()] if self.to_host else []
            card += [large] if self.on_card else []
            came += [part] if self.holds else []
            total = small if total is None else self.merge(total, small, index)
        return host, card, list(map(list, zip(*came, strict=True))), total

    def _unroll(self, shared: Any, is_near: Sequence[bool], *given: list[Any]) -> tuple[Any, ...]:
        host, card, came, ends, total = [], [], [], [], None
        for index, part in enumerate(zip(*given, strict=True)):
            with tf.control_dependencies(ends[index - AHEAD] if index >= AHEAD else []):
                part = [
                    one if near else _put_on_host(one)
                    for one, near in zip(part, is_near, strict=True)
                ]
            with tf.device(DEVICE):
                part = list(map(tf.identity, part))
                large, small = self.body(shared, *part)
            host += [_put_on_host(large)] if self.to_host else []
            card += [large] if self.on_card else []
            came += [part] if self.holds else []
            # Else all parts would come to the card at once.
            signal = tf.reshape(tf.nest.flatten(small)[-1], [-1])[:1]
            ends.append([*host[-1:], _put_on_host(signal)])
            total = small if total is None else self.merge(total, small, index)
        return host, card, list(map(list, zip(*came, strict=True))), total


def split(array: Any, parts: int) -> Waiting:
    """In host memory."""
    if len(array) % parts:
        raise ValueError(f"Received {len(array)} rows. Expected a multiple of {parts}.")
    pieces = [array[index::parts] for index in range(parts)]
    if not HAS_GPU:
        return Waiting(pieces)
    with tf.device("CPU:0"):
        return Waiting(list(map(tf.constant, pieces)))


def _put_on_host(tensor: Any) -> Any:
    """No `tf.identity`: TensorFlow takes that out of the graph, and what waits for it."""
    with tf.device("CPU:0"):
        return tf.ensure_shape(tensor, tensor.shape)


def _sum_up(tensors: Sequence[Any]) -> int:
    return sum(math.prod(one.shape) * tf.as_dtype(one.dtype).size for one in tensors)
