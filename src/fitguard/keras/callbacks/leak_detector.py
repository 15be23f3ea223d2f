"""`LeakDetector`."""

import sys
import time
from collections.abc import Callable
from typing import Any

from fitguard.keras.callbacks.base import Callback
from fitguard.keras.callbacks.measuring import Measuring
from fitguard.keras.callbacks.own_record import OwnRecord
from fitguard.monitor.detectors.framework.registry import Alert, detect
from fitguard.monitor.journal import now
from fitguard.schema.exit_codes import UsageError

_MEASURE_SECONDS = 1.0
_DETECT_SECONDS = 30.0
LEAKS = ("gpu-leak", "host-leak")


class LeakDetector(Callback):
    """Finds memory that grows from step to step, on GPU and host, before it ends.

    It measures about once a second, between two batches, and judges every half minute as
    `fitguard run` does: warm-up, caches and larger batches are no leaks. `fitguard explain FG410`
    has the statistic. Each leak is told once.

    Args:
        on_leak: Called with what was found: `alert.title`, `alert.text`, `alert.numbers`.
        verbose: 1 to print it, too.

    Attributes:
        found: All that was found so far.

    Example:
        >>> def stop(alert):
        ...     model.stop_training = True
        >>> model.fit(x, y, epochs=100, callbacks=[fitguard.keras.LeakDetector(on_leak=stop)])
    """

    def __init__(self, on_leak: Callable[[Alert], object] | None = None, verbose: int = 1) -> None:
        super().__init__()
        if on_leak is not None and not callable(on_leak):
            raise UsageError(f"Received on_leak={on_leak!r}. Expected a function of one alert")
        self.on_leak = on_leak
        self.verbose = verbose
        self.found: list[Alert] = []
        self._measuring = Measuring()
        self._record = OwnRecord()
        self._steps = 0
        self._epoch = 0
        self._fits = 0
        self._measure_at = 0.0
        self._detect_at = 0.0

    def on_train_begin(self, logs: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        self._fits += 1
        self._measuring.start()

    def on_epoch_begin(self, epoch: int, logs: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        self._epoch = epoch

    def on_train_batch_begin(self, batch: int, logs: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        moment = time.monotonic()
        if moment >= self._measure_at:
            self._measure_at = moment + _MEASURE_SECONDS
            self._take(now(), self._measuring.read())
        if moment >= self._detect_at:
            self._detect_at = moment + _DETECT_SECONDS
            self._detect()
        self._steps += 1

    def on_train_end(self, logs: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        self._measuring.stop()

    def get_state(self) -> dict[str, Any]:
        """Nothing that a snapshot has to keep: memory begins anew in a new process."""
        return {}

    def set_state(self, state: dict[str, Any]) -> None:
        """After a restart it measures anew."""

    def _take(self, moment: float, values: dict[str, float]) -> None:
        if "allocator_bytes" in values:
            # Between two steps, only what is kept is in use.
            values["allocator_low_bytes"] = values["allocator_bytes"]
        place = {"fit": self._fits, "epoch": self._epoch}
        self._record.add(moment, self._steps, {**values, **place})

    def _detect(self) -> None:
        known = {(alert.slug, alert.subject) for alert in self.found}
        for alert in detect(self._record.build()):
            if alert.slug not in LEAKS or (alert.slug, alert.subject) in known:
                continue
            self.found.append(alert)
            if self.verbose:
                said = f"\n{alert.code} {alert.title}. {alert.text} {alert.fix.text}"
                print(said, file=sys.stderr)  # noqa: T201
            if self.on_leak is not None:
                self.on_leak(alert)
