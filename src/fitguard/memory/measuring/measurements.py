"""Measurements as a plan uses them: taken where that is asked for, and found again later."""

import datetime
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fitguard.inputs.models.asking import ask
from fitguard.memory.estimate import Estimator
from fitguard.memory.measuring.fingerprint import fingerprint
from fitguard.memory.measuring.measuring import measure
from fitguard.memory.measuring.request import Device, Script
from fitguard.memory.measuring.sending import save_model
from fitguard.memory.measuring.sharpened import Sharpened
from fitguard.memory.measuring.store import Kept, Store, cache_folder
from fitguard.memory.measuring.this_gpu import same_gpu, this_gpu, usable_bytes
from fitguard.memory.measuring.trial import Trials
from fitguard.memory.preparation import Preparation
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.hardware import Gpu
from fitguard.schema.plan import Card, Measured, Range


def _today() -> str:
    return datetime.date.today().isoformat()


@dataclass(frozen=True, kw_only=True)
class Measurements:
    """What was measured of steps on GPUs, and may be measured now.

    Args:
        wanted: Whether to measure; as a script, where the child makes the step from that.
        gpus: Those of this machine.
        driver: The version of their driver; None where there is none.
        store: Where measurements are kept; None: the user's cache folder.
        device: The tests measure on the CPU.
        surrounding: The environment of this process.
    """

    wanted: bool | Script = False
    gpus: tuple[Gpu, ...] = ()
    driver: str | None = None
    store: Store | None = None
    device: Device = "gpu"
    today: Callable[[], str] = _today
    surrounding: Mapping[str, str] = field(default_factory=lambda: os.environ)

    def require_gpu(self, card: Card | None) -> None:
        """Refuse, before anything costs time, what cannot be measured here.

        Raises:
            UsageError: where a measurement is wanted, and there is no GPU, or another one.
        """
        if not self.wanted or self.device == "cpu":
            return
        here = this_gpu(self.gpus, self.surrounding).name or ""
        if card is not None and card.name and not same_gpu(card.name, here):
            raise UsageError(
                f"Received measure=True and gpu={card.name!r}, but the GPU here is {here}. "
                f"Expected a measurement on the card that is planned for: leave gpu out, or "
                "measure on a machine that has it"
            )

    def sharpen_estimator(
        self, prepared: Preparation, estimator: Estimator, card: Card | None
    ) -> Estimator:
        """The estimator, corrected by what was measured of this step on this GPU.

        Raises:
            UsageError: where a measurement is wanted, and the step cannot be run.
        """
        names = [card.name] if card and card.name else [gpu.name or "" for gpu in self.gpus]
        if not self.wanted and not names:
            return estimator
        step = ask(lambda: fingerprint(prepared.training, self.surrounding), None)
        known, notes = self._find_measurements(step, names)
        if self.wanted:
            batch = prepared.replica_batch_size
            measured = self._take_measurement(prepared, estimator.at(batch).required)
            known[batch] = measured
            notes += self._keep_measurement(step, batch, measured)
        return Sharpened(estimator, known, notes) if known or notes else estimator

    def _find_measurements(
        self, step: str | None, names: Sequence[str]
    ) -> tuple[dict[int, Measured], tuple[str, ...]]:
        """By batch size, of GPUs with these names; a later one replaces an earlier one."""
        if step is None:
            return {}, ()
        kept, notes = self._store.of(step)
        found = {
            one.batch_size: one.measured
            for one in kept
            if any(same_gpu(one.measured.gpu, name) for name in names)
            and self.driver in (None, one.driver)
        }
        return found, notes

    def _take_measurement(self, prepared: Preparation, estimated: Range) -> Measured:
        training = prepared.training
        if training.replicas > 1:
            raise UsageError(
                f"Received measure=True for {training.replicas} replicas. Expected one: a "
                "measurement is of one GPU; give the part of the batch that each gets"
            )
        usable = 4 * estimated.high
        if self.device == "gpu":
            usable = usable_bytes(this_gpu(self.gpus, self.surrounding), estimated.low)
        with tempfile.TemporaryDirectory(prefix="fitguard-") as name:
            folder = Path(name)
            wanted = self.wanted
            trials = Trials(
                step=wanted if isinstance(wanted, Script) else save_model(training, folder),
                batch_size=prepared.replica_batch_size,
                jit_compile=training.jit_compile,
                folder=folder,
                device=self.device,
                surrounding=self.surrounding,
            )
            return measure(trials, estimated, usable, self.today())

    def _keep_measurement(
        self, step: str | None, batch_size: int, measured: Measured
    ) -> tuple[str, ...]:
        if step is None:
            return ("The measurement is for this plan alone: the step could not be told again.",)
        kept = Kept(step=step, batch_size=batch_size, driver=self.driver, measured=measured)
        return self._store.keep(kept) if kept.makes_sense else ()

    @property
    def _store(self) -> Store:
        return self.store or Store(cache_folder(self.surrounding))
