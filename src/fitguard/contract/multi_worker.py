"""MultiWorkerMirroredStrategy: what Keras 3 cannot do under it, and how long its workers wait.

Two functions of Keras fail there (keras#20585); `docs/keras-multi-worker.md` shows how. Each is
tried as it is first: one that works is left alone, whatever its version says.
"""

import functools
from collections.abc import Callable, Iterator
from typing import Any

_MEANS = ("auto", "mean")

Told = Callable[[str], None]
"""Gets the name of a function of Keras that was mended."""


def is_multi_worker(strategy: Any) -> bool:
    """Whether a strategy is a MultiWorkerMirroredStrategy; it may have one worker only."""
    import tensorflow as tf

    return isinstance(strategy, tf.distribute.MultiWorkerMirroredStrategy)


def has_workers(model: Any) -> bool:
    """Whether a model was made under such a strategy."""
    strategy = getattr(model, "distribute_strategy", None)
    return strategy is not None and is_multi_worker(strategy)


def mend_build(original: Callable[..., Any], told: Told) -> Callable[..., Any]:
    """`_maybe_symbolic_build`: reads one batch, to build the model by its shapes.

    It wants the mean of the batch over all replicas, and this strategy cannot take the mean of a
    tuple. The part that this worker got has the same shapes but for the rows, which do not matter.
    The batch is read once: a generator would lose another one.
    """

    @functools.wraps(original)
    def build(model: Any, iterator: Any = None, data_batch: Any = None) -> Any:
        if iterator is None or not has_workers(model):
            return original(model, iterator=iterator, data_batch=data_batch)
        steps = _KeptSteps(iterator)
        try:
            return original(model, iterator=steps, data_batch=data_batch)
        except Exception:
            if not steps.batches:
                raise
        # Where the model itself is at fault, it says so again.
        built = original(model, data_batch=_local_part(steps.batches[0], model.distribute_strategy))
        told(original.__name__)
        return built

    return build


def mend_reduction(original: Callable[..., Any], told: Told) -> Callable[..., Any]:
    """`reduce_per_replica`: makes one number of what each replica has for a metric.

    It takes the mean over the first axis, and the numbers have none.
    """

    @functools.cache
    def fails(strategy: Any) -> bool:
        import tensorflow as tf

        try:
            # What works leaves no operation behind in the step that is being traced.
            with tf.Graph().as_default():
                original(tf.zeros(()), strategy, "mean")
        except ValueError:
            return True
        return False

    @functools.wraps(original)
    def reduce(values: Any, strategy: Any, reduction: str) -> Any:
        import tensorflow as tf

        if reduction not in _MEANS or not is_multi_worker(strategy) or not fails(strategy):
            return original(values, strategy, reduction)
        told(original.__name__)
        return tf.nest.map_structure(
            lambda value: strategy.reduce("MEAN", value, axis=None), values
        )

    return reduce


class WaitingLimits:
    """How long a worker waits for the others; what the script itself has set stays.

    Args:
        heartbeat_seconds: Without a sign of life from the process of a worker.
        collective_seconds: In one exchange of numbers; None for as long as it takes.
    """

    def __init__(self, heartbeat_seconds: float, collective_seconds: float | None) -> None:
        self._heartbeat_milliseconds = round(1000 * heartbeat_seconds)
        self._collective_seconds = collective_seconds
        self._joining = False

    def wrap_strategy(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """`CollectiveAllReduceExtended.__init__`, which joins the other workers."""

        @functools.wraps(original)
        def init(
            extended: Any,
            container_strategy: Any,
            cluster_resolver: Any,
            communication_options: Any,
            **more: Any,
        ) -> None:
            options = self._limit_collectives(communication_options)
            self._joining = True
            try:
                original(extended, container_strategy, cluster_resolver, options, **more)
            finally:
                self._joining = False

        return init

    def wrap_coordination(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """`Context.configure_coordination_service`; other strategies call it too."""

        @functools.wraps(original)
        def configure(context: Any, *args: Any, **given: Any) -> Any:
            if self._joining:
                given = {"heartbeat_timeout_in_ms": self._heartbeat_milliseconds, **given}
            return original(context, *args, **given)

        return configure

    def _limit_collectives(self, options: Any) -> Any:
        import tensorflow as tf

        unset = getattr(options, "timeout_seconds", self) is None
        if self._collective_seconds is None or not unset:
            return options
        return options.merge(
            tf.distribute.experimental.CommunicationOptions(
                timeout_seconds=self._collective_seconds
            )
        )


class _KeptSteps:
    """Keras' steps of an epoch; keeps the batches that are read from them."""

    def __init__(self, steps: Any) -> None:
        self._steps = steps
        self.batches: list[Any] = []

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        for *numbers, source in self._steps:
            yield (*numbers, self._keep(source))

    def _keep(self, source: Any) -> Iterator[Any]:
        for batch in source:
            self.batches.append(batch)
            yield batch


def _local_part(batch: Any, strategy: Any) -> Any:
    """What the first replica of this worker has of a batch."""
    import tensorflow as tf

    return tf.nest.map_structure(lambda part: strategy.experimental_local_results(part)[0], batch)
