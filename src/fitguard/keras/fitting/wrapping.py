"""Puts fitguard around Keras as soon as the script loads it."""

import contextlib
from collections.abc import Iterator

from fitguard.contract.hooks import Role
from fitguard.contract.patching import Wraps, patching
from fitguard.keras.fitting.compiling import compiling_wraps
from fitguard.keras.fitting.evaluation import GuardedEvaluation
from fitguard.keras.fitting.guarded_fits import GuardedFits
from fitguard.keras.fitting.workers import worker_wraps
from fitguard.keras.memory_limit import limiting_wraps
from fitguard.keras.position import position_wraps, seeding_wraps
from fitguard.keras.session import Session

_current: GuardedFits | None = None


def current_fits() -> GuardedFits | None:
    """Those of this process; None where it is not guarded."""
    return _current


@contextlib.contextmanager
def guarding(session: Session) -> Iterator[GuardedFits]:
    """Guard all training inside."""
    global _current
    fits = GuardedFits(session)
    _current = fits
    try:
        with patching(_wraps(fits), loaded=fits.assurance.on_loaded) as patches:
            fits.assurance.watch(patches)
            yield fits
    finally:
        if session.is_here:
            # A forked process has no thread that writes.
            fits.writer.wait()
            fits.sources.tell()
            fits.writer.close()
            fits.sampler.close()
        _current = None


def _wraps(fits: GuardedFits) -> Wraps:
    evaluation, others = GuardedEvaluation(fits), fits.other_ways.wraps()
    noting = others[Role.TRAIN_ON_BATCH]
    return {
        Role.FIT: fits.fit,
        Role.TRAIN_BEGINS: fits.train_begins,
        Role.EPOCH_ENDS: fits.epoch_ends,
        Role.EVALUATE: evaluation.evaluate,
        Role.PREDICT: evaluation.predict,
        Role.EVALUATION_GOES_ON: evaluation.wrap_batch_end,
        **position_wraps(fits.position),
        **seeding_wraps(fits.session.orders.seed, lambda: fits.ended),
        **compiling_wraps(fits.session.orders),
        **worker_wraps(fits.session),
        **limiting_wraps(fits.session),
        **others,
        Role.TRAIN_ON_BATCH: lambda original, library: fits.on_batch.wrap(
            noting(original, library), library
        ),
    }
