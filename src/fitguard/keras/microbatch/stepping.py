"""A step over a batch, piece by piece, through one traced function."""

import contextlib
from collections.abc import Callable, Iterator, Set
from typing import Any

import tensorflow as tf

from fitguard.contract.random_state import is_seed
from fitguard.contract.replicas import by_replica, replica_devices
from fitguard.keras.microbatch import cutting, trying
from fitguard.keras.microbatch.identity import identities, identity, on_replicas
from fitguard.keras.microbatch.library import Library
from fitguard.keras.microbatch.shares import Piece, rounds, this_replica
from fitguard.keras.microbatch.split import Findings, Split, tracing
from fitguard.keras.microbatch.state import StepState, copy_value
from fitguard.keras.microbatch.state_rows import own_rows, require_rows, states_of
from fitguard.keras.microbatch.wraps import install
from fitguard.memory.recomputing.recomputation import Recomputation
from fitguard.memory.recomputing.recomputed import RecomputedFunction

Body = Callable[[Any, Split], Any]
"""What is done with a piece: it gets the data and its place, and gives what the step returns."""

_NUMBER = tf.TensorSpec((), tf.int32)
_NUMBERS = tf.TensorSpec((None,), tf.float32)


class Stepping:
    """One step of a model over pieces of one structure.

    All is done by each replica of the model's strategy with a share of its own: what is given to it
    is a list, with one item for each replica.

    Args:
        body: Runs in the replica context of the model's strategy.
        leaves: The tensors of the first batch.
        specs: What pieces look like; None for what those of the first batch look like.
        trial: Runs for a piece in a trial, with nothing written; None for the model's own forward
            pass and losses.
        exact: Losses are weighted one by one; otherwise the body weights by rows.
        rows_are_known: The data say beforehand how many rows a batch has.
        share: Of the memory of a piece, in which it is recomputed; None for all of it.
    """

    def __init__(
        self,
        library: Library,
        model: Any,
        body: Body,
        layout: cutting.Layout,
        leaves: list[list[Any]],
        specs: list[Any] | None = None,
        *,
        trial: Body | None = None,
        training: bool,
        jit: bool,
        exact: bool,
        rows_are_known: bool,
        share: float | None = None,
    ) -> None:
        install()
        self.findings = Findings()
        self._library = library
        self._model = model
        self._strategy = model.distribute_strategy
        self._replicas = len(leaves)
        self._body = body
        self._trial = trial
        self._layout = layout
        self._training = training
        self._jit = jit
        self._exact = exact
        self._rows_are_known = rows_are_known
        self._specs = specs or _signature(leaves)
        self._sums: Any = None
        self._states: dict[tuple[int, ...], StepState] = {}
        each = [_NUMBERS] * self._replicas
        self._step = self._function(self._run, each, _NUMBERS, jit=jit)
        self._divisors = self._function(self._divisors_of)
        self._items = self._function(self._items_of)
        self._loss = self._function(self._loss_of, each, _NUMBERS)
        self._trace(leaves)
        if share is not None and not model.run_eagerly:
            self._step = RecomputedFunction(self._step, share, jit_compile=jit)

    @property
    def way(self) -> Recomputation | None:
        """What of a piece is computed twice; None where nothing is, or before the first one."""
        return self._step.way if isinstance(self._step, RecomputedFunction) else None

    def accepts(self, layout: cutting.Layout, leaves: list[list[Any]]) -> bool:
        """Whether a batch has the structure that was traced."""
        return layout.key == self._layout.key and all(
            spec.is_compatible_with(leaf)
            for share in leaves
            for spec, leaf in zip(self._specs, share, strict=True)
        )

    def wider_for(self, layout: cutting.Layout, leaves: list[list[Any]]) -> list[Any] | None:
        """A signature that takes this batch too; None where its structure is another."""
        if layout.key != self._layout.key:
            return None
        return cutting.wider(self._specs, _signature(leaves))

    def prepare(self, leaves: list[list[Any]], rows: int, kept: Set[int] = frozenset()) -> None:
        """Try the losses on a few rows, once; no variable is changed.

        Args:
            rows: That fit into memory.
            kept: Ids of variables that a trial does not write.
        """
        if self._sums is not None:
            return
        whole = min(_wholes(leaves))
        rows = trying.rows_tried(whole, rows)
        leaves = [cutting.spread_rows(share, whole, rows) for share in leaves]
        self.findings.states = self._list_states(kept)
        allowed = trying.tolerance(self._model)
        # What a tf.function of the user's writes, it writes in a trial, too.
        assigned = self.findings.assigned.items()
        before = [(one, copy_value(one)) for key, one in assigned if key not in kept]

        def slice_all(start: int, stop: int) -> list[list[Any]]:
            return self._slice(leaves, [Piece(start, stop)] * self._replicas)

        def items(start: int, stop: int) -> Any:
            found = self._items(slice_all(start, stop), *self._same_place(start, rows))
            return by_replica(self._strategy, found)[0]

        sums = trying.sums_of(items, rows, self.findings, allowed)
        if self._exact and not self._differs_anyway():
            tried = [[Piece(0, rows)] * self._replicas]
            totals = self._totals(leaves, tried, [rows] * self._replicas)

            def loss(start: int, stop: int) -> Any:
                place = self._same_place(start, rows)
                found = self._loss(slice_all(start, stop), *place, totals, sums)
                return by_replica(self._strategy, found)[0]

            trying.note_rows_that_meet(loss, rows, self.findings, allowed)
        for variable, value in before:
            variable.assign(value)
        self._sums = sums

    def _list_states(self, kept: Set[int]) -> dict[int, str]:
        """What the step writes, less what fitguard knows how to join; none without a trial."""
        if not self._exact and self._trial is None:
            return {}
        moments = self._library.moving_moments(self._model)
        known = {
            one for each in moments for one in identities(each.mean) | identities(each.variance)
        }
        known |= kept | self._library.not_state(self._model) | states_of(self._model)
        return {
            key: variable.name.removesuffix(":0")
            for key, variable in self.findings.assigned.items()
            if key not in known and not is_seed(variable)
        }

    def _differs_anyway(self) -> bool:
        """Whether it is known without a trial that parts give another loss than the whole."""
        see, draw = self._library.layers_that_see_the_batch, self._library.layers_that_draw_others
        return self._training and bool(see(self._model) or draw(self._model))

    def pieces(
        self, leaves: list[list[Any]], rows: int, kept: Set[int] = frozenset()
    ) -> Iterator[tuple[int, float, Any]]:
        """Run the pieces one after the other, on all replicas at once.

        Args:
            rows: Of a piece, at most.
            kept: Ids of more variables that keep what each piece writes.

        Yields:
            For each piece its replica, which part of the replica's rows it has, and what its step
            returned.
        """
        wholes = _wholes(leaves)
        require_rows(self._model, wholes[0])
        self.prepare(leaves, rows, kept)
        order = rounds(wholes, rows)
        totals = self._totals(leaves, order, wholes)
        state = self._state(kept)
        state.take()
        for number, pieces in enumerate(order):
            if number:
                state.restore()
            undo = self._copy_idle(pieces, state)
            returned = self._step(
                self._slice(leaves, pieces), *_place(pieces, wholes), totals, self._sums
            )
            for variable, value in undo:
                variable.assign(value)
            shares = [
                0.0 if piece.idle else (piece.stop - piece.start) / whole
                for piece, whole in zip(pieces, wholes, strict=True)
            ]
            state.add(shares)
            for replica, logs in enumerate(by_replica(self._strategy, returned)):
                if not pieces[replica].idle:
                    yield replica, shares[replica], logs
        state.finish()

    def _function(self, function: Any, *more: Any, jit: bool = False) -> Any:
        plain = tf.autograph.experimental.do_not_convert(function)
        if self._model.run_eagerly:
            return plain
        each = [[spec] * self._replicas for spec in (self._specs, _NUMBER, _NUMBER)]
        return tf.function(plain, input_signature=[*each, *more], jit_compile=jit)

    def _trace(self, leaves: list[list[Any]]) -> None:
        """See what the step does, before it does it."""
        if not self._model.run_eagerly:
            self._step.get_concrete_function()
            return
        first = [cutting.slice_rows(share, 0, 1) for share in leaves]
        self._library.build(self._model, self._layout.batch(first[0]))
        self._divisors(first, *self._same_place(0, 1))

    def _run(self, leaves: Any, starts: Any, wholes: Any, totals: Any, sums: Any) -> Any:
        def run(leaves: list[Any], start: Any, whole: Any, totals: Any) -> Any:
            split = self._split(leaves, start, whole, totals=totals, sums=sums, jit=self._jit)
            with self._tracing(split), self._library.counting_once(self._model, split):
                return self._body(self._layout.batch(leaves), split)

        return self._on_replicas(run, leaves, starts, wholes, totals)

    def _divisors_of(self, leaves: Any, starts: Any, wholes: Any) -> Any:
        def find(leaves: list[Any], start: Any, whole: Any) -> Any:
            return tf.stack(self._run_trial(leaves, start, whole).divisors or [0.0])

        return self._on_replicas(find, leaves, starts, wholes)

    def _items_of(self, leaves: Any, starts: Any, wholes: Any) -> Any:
        def find(leaves: list[Any], start: Any, whole: Any) -> Any:
            split = self._run_trial(leaves, start, whole)
            return tf.stack([*split.items, *trying.read_states(split)])

        return self._on_replicas(find, leaves, starts, wholes)

    def _loss_of(self, leaves: Any, starts: Any, wholes: Any, totals: Any, sums: Any) -> Any:
        def find(leaves: list[Any], start: Any, whole: Any, totals: Any) -> Any:
            split = self._split(leaves, start, whole, totals=totals, sums=sums, trial=True)
            return tf.reduce_sum(self._look(leaves, split))

        return self._on_replicas(find, leaves, starts, wholes, totals)

    def _on_replicas(self, function: Callable[..., Any], *each: Any) -> Any:
        """Run it on each replica, with what is there for it in each list."""

        def in_replica() -> Any:
            here = this_replica()
            return function(*(arguments[here] for arguments in each))

        return self._strategy.run(in_replica)

    def _run_trial(self, leaves: list[Any], start: Any, whole: Any) -> Split:
        split = self._split(leaves, start, whole, trial=True)
        self._look(leaves, split)
        return split

    def _look(self, leaves: list[Any], split: Split) -> Any:
        data = self._layout.batch(leaves)
        if self._trial is not None:
            # The same numbers are looked at as in the step itself.
            with self._tracing(split), self._library.counting_once(self._model, split):
                return self._trial(data, split)
        with self._tracing(split):
            return self._library.forward(self._model, data, split, self._training)[0]

    @contextlib.contextmanager
    def _tracing(self, split: Split) -> Iterator[None]:
        with tracing(split), own_rows(self._model, split):
            yield

    def _split(self, leaves: list[Any], start: Any, whole: Any, **more: Any) -> Split:
        def trackers() -> dict[int, Any]:
            return self._library.trackers(self._model, whole, self._rows_are_known)

        return Split(
            start=start,
            rows=cutting.rows_of(next(leaf for leaf in leaves if leaf.shape.rank != 0)),
            whole=whole,
            exact=self._exact,
            trackers=trackers if self._exact else dict,
            findings=self.findings,
            tried=self._trial is not None,
            **more,
        )

    def _same_place(self, start: int, whole: int) -> tuple[list[Any], list[Any]]:
        return _place([Piece(start, whole)] * self._replicas, [whole] * self._replicas)

    def _slice(self, leaves: list[list[Any]], pieces: list[Piece]) -> list[list[Any]]:
        """The tensors of a piece for each replica, where its share is."""
        found = []
        devices = replica_devices(self._strategy) if self._replicas > 1 else [None]
        for share, piece, device in zip(leaves, pieces, devices, strict=True):
            with tf.device(device):
                found.append(cutting.slice_rows(share, piece.start, piece.stop))
        return found

    def _totals(
        self, leaves: list[list[Any]], order: list[list[Piece]], wholes: list[int]
    ) -> list[Any]:
        if not self.findings.divisors:
            return [tf.zeros((0,))] * self._replicas
        found: list[list[Any]] = [[] for _ in wholes]
        place = _place([Piece(0, 0)] * self._replicas, wholes)
        for pieces in order:
            divisors = self._divisors(self._slice(leaves, pieces), *place)
            for replica, divisor in enumerate(by_replica(self._strategy, divisors)):
                if not pieces[replica].idle:
                    found[replica].append(divisor)
        return [tf.add_n(each) for each in found]

    def _copy_idle(self, pieces: list[Piece], state: StepState) -> list[tuple[Any, Any]]:
        """Metrics and sums of gradients of replicas that have no rows left: they must not move."""
        idle = {replica for replica, piece in enumerate(pieces) if piece.idle}
        moving = {identity(variable) for variable in state.variables}
        return [
            (variable, copy_value(variable))
            for key, variable in (self.findings.assigned.items() if idle else ())
            if key not in moving and self._replica_of(variable) in idle
        ]

    def _replica_of(self, variable: Any) -> int:
        devices = replica_devices(self._strategy) if self._replicas > 1 else []
        return devices.index(variable.device) if variable.device in devices else 0

    def _state(self, kept: Set[int]) -> StepState:
        seen = list(self.findings.assigned.values())
        written = self._library.may_move(self._model) if self._model.run_eagerly else seen
        kept = kept | self._library.not_state(self._model) | states_of(self._model)
        single = [one for variable in written for one in on_replicas(variable)]
        variables = [variable for variable in single if identity(variable) not in kept]
        key = tuple(map(identity, variables))
        if key not in self._states:
            replicas = [self._replica_of(variable) for variable in variables]
            moments = self._library.moving_moments(self._model)
            traced = not self._model.run_eagerly
            self._states[key] = StepState(variables, replicas, moments, traced=traced)
        return self._states[key]


def _wholes(leaves: list[list[Any]]) -> list[int]:
    return [cutting.whole_rows(share) for share in leaves]


def _signature(leaves: list[list[Any]]) -> list[Any]:
    """What pieces of any replica look like."""
    first, *others = [cutting.signature(share) for share in leaves]
    for other in others:
        first = cutting.wider(first, other) or first
    return first


def _place(pieces: list[Piece], wholes: list[int]) -> tuple[list[Any], list[Any]]:
    return [tf.constant(piece.start) for piece in pieces], [tf.constant(one) for one in wholes]
