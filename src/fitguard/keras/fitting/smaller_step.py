"""The step of a model in less memory: part of it computed twice, or the batch in micro-batches."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from fitguard.keras.fitting.out_of_memory import is_out_of_memory
from fitguard.keras.fitting.recomputing import LEAST_SHARE, Recomputing
from fitguard.keras.fitting.replicas import count_replicas, starves
from fitguard.keras.fitting.whole import (
    Whole,
    forbid_changes,
    list_known_changes,
    may_change,
    sees_the_batch,
)
from fitguard.keras.lone_session import LoneSession
from fitguard.keras.session import Session
from fitguard.monitor.decisions import describe_parts, describe_recomputation
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.journal import (
    INEXACT,
    RECOMPUTATION,
    MicroBatchChosen,
    NoteKind,
    NotSplit,
    RecomputationChosen,
)

if TYPE_CHECKING:
    from fitguard.keras.microbatch import MicroTrainStep

_DRAWS = (
    "the step draws random numbers inside of TensorFlow's kernels ({}). A changed step draws "
    "others. To have the same, draw with keras.random and a SeedGenerator, or with a "
    "tf.random.Generator"
)


_KEPT_IMAGES = (
    "images are not turned into another layout, to save the copies: cuDNN takes other "
    "algorithms, and convolutions round otherwise, about as with XLA"
)
_SMALLER_PARTS = 0.5
"""Parts of one row that do not fit are recomputed in this share of memory, and so on."""


class SmallerStep:
    """Takes the place of Keras' train function where a batch does not fit.

    Whole batches come first where layers look at all rows, or where they cannot be split: such a
    step is recomputed. Micro-batches are for all others, and for what is allowed to change.

    Args:
        model: Compiled.
        fit: Number of the `fit` call.
        why_whole: Why this library cannot split batches at all; empty where it can.

    Attributes:
        rows: Of a micro-batch; None for whole batches.
        whole_first: Whether to recompute also where the batch could be split.
    """

    def __init__(
        self,
        model: Any,
        session: Session | LoneSession,
        fit: Callable[[], int],
        why_whole: Callable[[], str],
    ) -> None:
        self._model = model
        self._session = session
        self._fit = fit
        self._why_whole = why_whole
        self._element_spec: Any = None
        self._held: list[Any] = []
        self._micro: MicroTrainStep | None = None
        self._part_share: float | None = None
        self._recomputing = Recomputing(model)
        self._tried: list[str] = []
        self._refused = ""
        self._whole: Whole | None = None
        self.whole_first = False
        self.rows: int | None = None

    @property
    def share(self) -> float | None:
        """Of its memory in which the step was to be recomputed; None where it is not."""
        return self._recomputing.wanted if self.rows is None else self._part_share

    @property
    def reached(self) -> float | None:
        """The part of its memory that it takes recomputed, on paper; None where it is not."""
        way = self._recomputing.way if self.rows is None else None
        return way.share if way is not None else self._part_share

    @property
    def is_used(self) -> bool:
        """Whether steps are taken here, and not by Keras' own function."""
        return self.rows is not None or self._recomputing.step is not None

    def can_take(self, batches: list[Any]) -> bool:
        """Whether these batches are to be trained here."""
        return self.is_used and bool(batches) and not starves(batches)

    def hold(self, batches: list[Any], element_spec: Any) -> None:
        """The batches of the next step."""
        self._held, self._element_spec = batches, element_spec

    def take(self, batches: list[Any]) -> Any:
        """Take a step with each batch; the logs of the last one."""
        for batch in batches:
            logs = self._in_parts(batch) if self.rows else self._recomputing.take(batch)
            self._session.heartbeat.note_alive()
        return logs

    def _in_parts(self, batch: Any) -> Any:
        assert self.rows is not None
        micro = self._micro_step()
        logs = micro(batch, self.rows)
        for sentence in micro.notes:
            self._note(INEXACT, sentence)
        return logs

    def drop_unproven(self, error: BaseException) -> bool:
        """Whether the error may come from recomputation: then there is none any more."""
        if self.rows is not None or not self._recomputing.drop_unproven(error):
            return False
        self._tell_failure()
        return True

    def renew(self) -> None:
        """The train function was made anew: with other layers to be trained, perhaps."""
        self._micro, self._tried, self._refused = None, [], ""
        self._recomputing.renew()
        if self.rows is None:
            return
        whole = self.why_whole(self.rows, trial=False)
        if whole is None:
            self.split(self.rows, self._part_share)
            return
        self.rows = None
        self.keep_whole(whole)

    def recompute(self, share: float, batch: Any, why: str) -> bool:
        """Train with whole batches in this share of memory; False where that cannot be had."""
        recomputing = self._recomputing
        if recomputing.describe_refusal():
            return False
        of_bytes = self._find_whole_bytes(share)
        if not recomputing.begin(share, batch, self._element_spec, of_bytes):
            self._tell_failure()
            return False
        drawing, way = ", ".join(recomputing.drawing), recomputing.way
        if drawing and self._session.orders.exact_only:
            recomputing.stop()
            self._note(RECOMPUTATION, f"the step is not recomputed: {_DRAWS.format(drawing)}")
            return False
        if way is None or not way.edits:
            return True
        if drawing:
            self._note(INEXACT, _DRAWS.format(drawing))
        self._session.record(
            RecomputationChosen,
            fit=self._fit(),
            wanted=share,
            share=way.share,
            extra=way.extra,
            count=way.count,
            whole_bytes=of_bytes or way.whole_bytes,
            why=why,
        )
        self._session.say(describe_recomputation(way.count, way.share, way.extra, why))
        if recomputing.step is not None and recomputing.step.keeps_images:
            self._note(RECOMPUTATION, _KEPT_IMAGES)
        return True

    def _find_whole_bytes(self, share: float) -> int:
        """What this share was of before the process began anew, with a smaller batch perhaps."""
        chosen = [one for one in self._session.events() if isinstance(one, RecomputationChosen)]
        before = (one for one in reversed(chosen) if one.fit == self._fit())
        return next((one.whole_bytes for one in before if one.wanted == share), 0)

    def choose_share(self) -> float | None:
        """The share of memory to recompute the step in next; None where that is not the way."""
        if self.rows is not None or not self.wants_whole():
            return None
        if refusal := self._recomputing.describe_refusal():
            self._note(RECOMPUTATION, f"the step is not recomputed: {refusal}")
            return None
        return self._recomputing.find_smaller_share()

    def wants_whole(self) -> bool:
        """Whether micro-batches would give another result, or cannot be had."""
        return self.whole_first or not self.may_split()

    def may_split(self) -> bool:
        """Whether micro-batches give the same result, as far as it is known without a trial."""
        return self.why_whole(1, trial=False) is None and not sees_the_batch(self._model)

    def may_recompute(self) -> bool:
        """Whether the step can be recomputed."""
        return not self._recomputing.describe_refusal()

    def choose_part_share(self) -> float | None:
        """The share of memory to recompute the smallest parts in; None where nothing is left."""
        before = self._part_share
        if self.rows is None or not self.may_recompute():
            return None
        if before is not None:
            way = self._micro.way if self._micro is not None else None
            if way is None or way.share > before:
                return None
        smaller = _SMALLER_PARTS * (before or 1.0)
        return smaller if smaller >= LEAST_SHARE else None

    def why_whole(self, rows: int, *, trial: bool = True) -> Whole | None:
        """Why the batch must not be split into so many rows; None where it may be.

        Args:
            trial: Whether to try the step on a few rows: this finds what layers and losses do that
                fitguard does not know. It costs what the first split step would pay.
        """
        try:
            # TensorFlow must not be loaded before the script loads it.
            from fitguard.keras.microbatch import describe_unsupported

            why_not = self._refused or self._why_whole() or describe_unsupported(self._model)
        except (ImportError, AttributeError) as error:
            why_not = f"fitguard does not know this Keras: {error}."
        if why_not:
            return Whole(why_not)
        orders = self._session.orders
        if may_change(orders):
            return None
        changes = list_known_changes(self._model, orders)
        if not changes and trial and self._held:
            self._try_rows(rows)
            if self._refused:
                return Whole(self._refused)
        return forbid_changes(changes or self._tried, orders)

    def keep_whole(self, whole: Whole, *, fits: bool = True) -> None:
        """The batch is not split: say so once, and let the parent know.

        Args:
            fits: False where the batch is known to be too large.
        """
        if whole == self._whole:
            return
        self._whole = whole
        short = "the batch is not split" if fits else "the batch does not fit, and is not split"
        # A training that nobody guards has no command line.
        text = whole.text if isinstance(self._session, Session) else whole.why
        self._note("micro-batch", f"{short}: {text}")
        self._session.record(NotSplit, fit=self._fit(), why=whole.why, allow=whole.allow)

    def split(self, rows: int, share: float | None = None) -> None:
        """Train in micro-batches of so many rows from now on.

        Args:
            share: Of the memory of such a step, in which it is recomputed; None for all of it.
        """
        from fitguard.keras.microbatch import describe_batchwise

        if share != self._part_share:
            self._micro, self._part_share = None, share
        self.rows = rows
        self._micro_step()
        for sentence in describe_batchwise(self._model):
            self._note(INEXACT, sentence)

    def stop(self) -> None:
        """Whole batches are trained as they are again."""
        self.rows, self._micro, self._part_share = None, None, None
        self._recomputing = Recomputing(self._model)

    def tell(self, rows: int, of: int, why: str) -> None:
        """Say that a batch of `of` rows, or what each replica has of it, is trained in parts."""
        replicas = count_replicas(self._model)
        share = self._part_share
        self._session.record(
            MicroBatchChosen, fit=self._fit(), rows=rows, of=of, why=why, share=share
        )
        whole = f"the batch of {of}"
        if replicas > 1:
            whole = f"what each of the {replicas} replicas has of the batch, up to {of} rows,"
        how = describe_parts(rows, share) if rows < of else "whole again"
        self._session.say(f"{whole} is trained {how}: {why}")

    def tell_of_larger(self, rows: int, of: int, why: str) -> None:
        """Say that this batch of `of` rows is a short one, and those after it are split."""
        how = describe_parts(rows, self._part_share)
        self._session.say(f"batches of more than {max(rows, of)} rows are trained {how}: {why}")

    def _tell_failure(self) -> None:
        if failure := self._recomputing.failure:
            self._note(
                RECOMPUTATION,
                f"the step is not recomputed: TensorFlow did not take the changed step ({failure})",
            )

    def _micro_step(self) -> "MicroTrainStep":
        from fitguard.keras.microbatch import MicroTrainStep

        if self._micro is None:
            self._micro = MicroTrainStep(
                self._model, element_spec=self._element_spec, share=self._part_share
            )
        return self._micro

    def _try_rows(self, rows: int) -> None:
        try:
            self._tried = self._micro_step().prepare(self._held[0], rows)
        except UsageError as error:
            self._refused = str(error)
        except Exception as error:
            # The step will not fit either, and the trial comes again with fewer rows.
            if not is_out_of_memory(error):
                raise

    def _note(self, kind: NoteKind, sentence: str) -> None:
        self._session.note(kind, sentence, fit=self._fit())
