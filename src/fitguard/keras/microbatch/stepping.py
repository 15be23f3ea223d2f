"""A step over a batch, piece by piece, through one traced function."""

from collections.abc import Callable, Iterator, Set
from typing import Any

import tensorflow as tf

from fitguard.keras.microbatch import cutting, trying
from fitguard.keras.microbatch.identity import identity
from fitguard.keras.microbatch.library import Library
from fitguard.keras.microbatch.split import Findings, Split, tracing
from fitguard.keras.microbatch.state import StepState
from fitguard.keras.microbatch.wraps import install

Body = Callable[[Any, Split], Any]
"""What is done with a piece: it gets the data and its place, and gives what the step returns."""

_NUMBER = tf.TensorSpec((), tf.int32)
_NUMBERS = tf.TensorSpec((None,), tf.float32)


class Stepping:
    """One step of a model over pieces of one structure.

    Args:
        body: Runs in the replica context of the model's strategy.
        leaves: The tensors of the first batch.
        specs: What pieces look like; None for what those of the first batch look like.
        exact: Losses are weighted one by one; otherwise the body weights by rows.
        rows_are_known: The data say beforehand how many rows a batch has.
    """

    def __init__(
        self,
        library: Library,
        model: Any,
        body: Body,
        layout: cutting.Layout,
        leaves: list[Any],
        specs: list[Any] | None = None,
        *,
        training: bool,
        jit: bool,
        exact: bool,
        rows_are_known: bool,
    ) -> None:
        install()
        self.findings = Findings()
        self._library = library
        self._model = model
        self._body = body
        self._layout = layout
        self._training = training
        self._jit = jit
        self._exact = exact
        self._rows_are_known = rows_are_known
        self._specs = specs or cutting.signature(leaves)
        self._sums: Any = None
        self._step = self._function(self._run, _NUMBERS, _NUMBERS, jit=jit)
        self._divisors = self._function(self._divisors_of)
        self._items = self._function(self._items_of)
        self._loss = self._function(self._loss_of, _NUMBERS, _NUMBERS)
        self._trace(leaves)

    def accepts(self, layout: cutting.Layout, leaves: list[Any]) -> bool:
        """Whether a batch has the structure that was traced."""
        return layout.key == self._layout.key and all(
            spec.is_compatible_with(leaf) for spec, leaf in zip(self._specs, leaves, strict=True)
        )

    def wider_for(self, layout: cutting.Layout, leaves: list[Any]) -> list[Any] | None:
        """A signature that takes this batch too; None where its structure is another."""
        if layout.key != self._layout.key:
            return None
        return cutting.wider(self._specs, cutting.signature(leaves))

    def prepare(self, leaves: list[Any], rows: int) -> None:
        """Try the losses on a few rows, once; no variable is changed.

        Args:
            rows: That fit into memory.
        """
        if self._sums is not None:
            return
        rows = trying.rows_tried(cutting.whole_rows(leaves), rows)
        allowed = trying.tolerance(self._model)
        sums = trying.sums_of(self._items_at, leaves, rows, self.findings, allowed)
        known = self._training and self._library.layers_that_see_the_batch(self._model)
        if self._exact and not known:
            totals = self._totals(leaves, trying.places(rows)[:1], rows)

            def loss(piece: list[Any], start: int, rows: int) -> Any:
                return self._loss(piece, *_place(start, rows), totals, sums)

            trying.note_rows_that_meet(loss, leaves, rows, self.findings, allowed)
        self._sums = sums

    def pieces(
        self, leaves: list[Any], rows: int, kept: Set[int] = frozenset()
    ) -> Iterator[tuple[float, Any]]:
        """Run the pieces one after the other: the share of each, and what its step returned.

        Args:
            kept: Ids of more variables that keep what each piece writes.
        """
        self.prepare(leaves, rows)
        whole = cutting.whole_rows(leaves)
        bounds = cutting.bounds(whole, rows)
        totals = self._totals(leaves, bounds, whole)
        state = self._state(kept)
        state.take()
        for start, stop in bounds:
            if start:
                state.restore()
            piece = cutting.slice_rows(leaves, start, stop)
            returned = self._step(piece, *_place(start, whole), totals, self._sums)
            state.add((stop - start) / whole)
            yield (stop - start) / whole, returned
        state.finish()

    def _function(self, function: Any, *more: Any, jit: bool = False) -> Any:
        plain = tf.autograph.experimental.do_not_convert(function)
        if self._model.run_eagerly:
            return plain
        signature = [self._specs, _NUMBER, _NUMBER, *more]
        return tf.function(plain, input_signature=signature, jit_compile=jit)

    def _trace(self, leaves: list[Any]) -> None:
        """See what the step does, before it does it."""
        if not self._model.run_eagerly:
            self._step.get_concrete_function()
            return
        first = cutting.slice_rows(leaves, 0, 1)
        self._library.build(self._model, self._layout.batch(first))
        self._divisors(first, *_place(0, 1))

    def _run(self, leaves: list[Any], start: Any, whole: Any, totals: Any, sums: Any) -> Any:
        def in_replica(leaves: list[Any]) -> Any:
            split = self._split(leaves, start, whole, totals=totals, sums=sums, jit=self._jit)
            once = self._library.counting_once(self._model, split)
            with tracing(split), once:
                return self._body(self._layout.batch(leaves), split)

        return self._model.distribute_strategy.run(in_replica, args=(leaves,))

    def _divisors_of(self, leaves: list[Any], start: Any, whole: Any) -> Any:
        return tf.stack(self._run_trial(leaves, start, whole).divisors or [0.0])

    def _items_of(self, leaves: list[Any], start: Any, whole: Any) -> Any:
        return tf.stack(self._run_trial(leaves, start, whole).items)

    def _loss_of(self, leaves: list[Any], start: Any, whole: Any, totals: Any, sums: Any) -> Any:
        split = self._split(leaves, start, whole, totals=totals, sums=sums, trial=True)
        return tf.reduce_sum(self._look(leaves, split))

    def _run_trial(self, leaves: list[Any], start: Any, whole: Any) -> Split:
        split = self._split(leaves, start, whole, trial=True)
        self._look(leaves, split)
        return split

    def _look(self, leaves: list[Any], split: Split) -> Any:
        data = self._layout.batch(leaves)
        with tracing(split):
            return self._library.forward(self._model, data, split, self._training)[0]

    def _split(self, leaves: list[Any], start: Any, whole: Any, **more: Any) -> Split:
        def trackers() -> dict[int, Any]:
            return self._library.trackers(self._model, whole, self._rows_are_known)

        return Split(
            start=start,
            rows=cutting.rows_of(self._library.first_of(self._model, self._layout.batch(leaves))),
            whole=whole,
            exact=self._exact,
            trackers=trackers if self._exact else dict,
            findings=self.findings,
            **more,
        )

    def _items_at(self, leaves: list[Any], start: int, whole: int) -> Any:
        return self._items(leaves, *_place(start, whole))

    def _totals(self, leaves: list[Any], bounds: list[tuple[int, int]], whole: int) -> Any:
        if not self.findings.divisors:
            return tf.zeros((0,))
        place = _place(0, whole)
        return tf.add_n([self._divisors(cutting.slice_rows(leaves, *at), *place) for at in bounds])

    def _state(self, kept: Set[int]) -> StepState:
        seen = list(self.findings.assigned.values())
        written = self._library.may_move(self._model) if self._model.run_eagerly else seen
        kept = kept | self._library.not_state(self._model)
        variables = [variable for variable in written if identity(variable) not in kept]
        return StepState(variables, self._library.moving_moments(self._model))


def _place(start: int, whole: int) -> tuple[Any, Any]:
    return tf.constant(start), tf.constant(whole)
