"""Puts fitguard around Keras' methods as soon as the script loads them."""

import contextlib
import functools
from collections.abc import Iterator

from fitguard.keras.fitting.compiling import compiling
from fitguard.keras.fitting.evaluation import GuardedEvaluation
from fitguard.keras.fitting.guarded_fits import GuardedFits
from fitguard.keras.position import methods as position_methods
from fitguard.keras.position import seeding_methods
from fitguard.keras.session import Session
from fitguard.memory.fit_call.patching import Methods, Wrap, patched

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
        with patched(_all_methods(fits)):
            yield fits
    finally:
        if session.is_here:
            # A forked process has no thread that writes.
            fits.writer.wait()
            fits.writer.close()
        _current = None


def _all_methods(fits: GuardedFits) -> Methods:
    evaluation = GuardedEvaluation(fits)
    every: dict[str, dict[tuple[str, str], Wrap]] = {}
    for methods in (
        _training(fits, evaluation),
        position_methods(fits.position),
        seeding_methods(fits.session.orders.seed, lambda: fits.ended),
        compiling(fits.session.orders),
    ):
        for module, wraps in methods.items():
            every.setdefault(module, {}).update(wraps)
    return every


def _training(fits: GuardedFits, evaluation: GuardedEvaluation) -> Methods:
    keras, tf_keras = "TensorFlowTrainer", "Model"
    lists: dict[tuple[str, str], Wrap] = {
        ("CallbackList", "on_train_begin"): fits.train_begins,
        ("CallbackList", "on_epoch_end"): fits.epoch_ends,
        ("CallbackList", "on_test_batch_end"): evaluation.goes_on,
        ("CallbackList", "on_predict_batch_end"): evaluation.goes_on,
    }
    return {
        "keras.src.backend.tensorflow.trainer": {
            (keras, "fit"): functools.partial(fits.fit, "keras"),
            (keras, "evaluate"): evaluation.evaluate,
            (keras, "predict"): evaluation.predict,
        },
        "keras.src.callbacks.callback_list": lists,
        "tf_keras.src.engine.training": {
            (tf_keras, "fit"): functools.partial(fits.fit, "tf_keras"),
            (tf_keras, "evaluate"): evaluation.evaluate,
            (tf_keras, "predict"): evaluation.predict,
        },
        "tf_keras.src.callbacks": lists,
    }
