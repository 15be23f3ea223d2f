"""The batches of the next step, before Keras takes them."""

import contextlib
import time
from collections.abc import Callable, Sequence
from typing import Any

from fitguard.contract.replicas import is_distributed, iterator_over_shares


class Ahead:
    """What the next call of Keras' train function will read.

    One object serves a whole epoch: it is only good until the hook returns.

    Attributes:
        batches: What was taken; None where nothing was.
        over: The epoch that is resumed has no step left. Keras is led through one call of its train
            function, since it wants logs: that call must not train, only return the logs that were
            saved. After it the hook is called with None, and can restore what callbacks changed.
        waited_seconds: How long the data took that were taken last; what we do beside is no wait.
    """

    __slots__ = (
        *("_at_end", "_before", "_count", "_fed", "_source", "_watch"),
        *("batches", "over", "waited_seconds"),
    )

    def __init__(
        self,
        watch: contextlib.AbstractContextManager[Any],
        at_end: Callable[[], None],
        before: Callable[[Any], None] = lambda _: None,
    ) -> None:
        self._source: Any = None
        self._count = 1
        self._fed: Any = None
        self.batches: list[Any] | None = None
        self.over = False
        self.waited_seconds = 0.0
        self._watch = watch
        self._at_end = at_end
        self._before = before

    def point_at(self, source: Any, count: int, *, over: bool = False) -> None:
        """Begin the next step: `count` batches of `source`."""
        self.over = over
        self._source = source
        self._count = count
        self._fed = None
        self.batches = None

    @property
    def source(self) -> Any:
        """Keras' own iterator."""
        return self._source

    @property
    def iterator(self) -> Any:
        """What Keras is given: its own iterator, or one over the batches that were taken."""
        if self._fed is None and self.batches:
            self._fed = self.again()
        return self._source if self._fed is None else self._fed

    def is_for(self, iterator: Any) -> bool:
        """Whether Keras' train function was given just this one."""
        return iterator is self._source or iterator is self._fed

    def take(self) -> list[Any]:
        """The batches of the next step; none where the data are at their end.

        Keras then gets an iterator over just these. Where nothing came it gets its own, which is
        at its end, so that it sees that itself.
        """
        if self.batches is None:
            self._before(self._source)
            with self._watch:
                began = time.monotonic()
                self.batches = pull_batches(self._source, self._count)
                self.waited_seconds = time.monotonic() - began
            if not self.batches:
                self._at_end()
        return self.batches

    def again(self) -> Any:
        """A new iterator over the batches that were taken: to try the same step once more."""
        return iterator_over(self.batches or [], self._source)


def pull_batches(iterator: Any, count: int) -> list[Any]:
    """The next batches, fewer at the end of the data."""
    batches: list[Any] = []
    for _ in range(count):
        try:
            batches.append(next(iterator))
        except StopIteration:
            break
    return batches


def can_be_fed_back(iterator: Any, *, at_a_cost: bool = False) -> bool:
    """Whether batches can be taken from it, and given to Keras again.

    Args:
        at_a_cost: Also those of replicas: to share them out again takes 0.2 s.
    """
    import tensorflow as tf

    return isinstance(iterator, tf.data.Iterator) or (at_a_cost and is_distributed(iterator))


def iterator_over(batches: Sequence[Any], like: Any) -> Any:
    """An iterator over batches in hand that Keras' train function takes for `like`.

    It has exactly the element spec of `like`, so nothing is traced again.
    """
    import tensorflow as tf

    if is_distributed(like):
        return iterator_over_shares(batches, like)
    if not can_be_fed_back(like):
        # Keras 3 takes any iterator.
        return iter(batches)
    spec = like.element_spec
    with tf.device("CPU:0"):
        parts = [_single(batch, spec) for batch in batches]
        dataset = parts[0]
        for part in parts[1:]:
            dataset = dataset.concatenate(part)
        options = tf.data.Options()
        # A copy of the batch into an optimized graph would cost more than the step.
        options.experimental_optimization.apply_default_optimizations = False
        options.autotune.enabled = False
        return iter(dataset.with_options(options))


def _single(batch: Any, spec: Any) -> Any:
    import tensorflow as tf

    whole = tf.data.experimental.to_variant(tf.data.Dataset.from_tensors(batch))
    return tf.data.experimental.from_variant(whole, structure=spec)
