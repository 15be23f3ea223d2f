"""`StopOnPressure`."""

import sys
import time
from typing import Any

from fitguard.keras.callbacks.base import Callback
from fitguard.keras.callbacks.measuring import Measuring
from fitguard.schema.exit_codes import UsageError
from fitguard.words import size

_EVERY_SECONDS = 1.0


class StopOnPressure(Callback):
    """Stops training before memory runs out, as `EarlyStopping` does: with a model that is whole.

    It looks about once a second, between two batches. GPU memory counts as TensorFlow's allocator
    counts it, at the peak of the steps since the last look, and of what it can really have: what
    other processes hold is not to be had. What cannot be measured stops nothing.

    Args:
        gpu: Share of the GPU memory at which training stops; `None` for never.
        host: Share of the host memory, or of the container's limit; `None` for never.
        verbose: 1 to print why it stopped.

    Attributes:
        reason: Why it stopped; empty where it did not.

    Example:
        >>> pressure = fitguard.keras.StopOnPressure(gpu=0.95, host=0.9)
        >>> model.fit(x, y, epochs=100, callbacks=[pressure])
        >>> print(pressure.reason)

    Raises:
        UsageError: for a share that is not between 0 and 1.
    """

    def __init__(
        self, gpu: float | None = 0.95, host: float | None = 0.95, verbose: int = 1
    ) -> None:
        super().__init__()
        for name, share in (("gpu", gpu), ("host", host)):
            if share is not None and not (isinstance(share, int | float) and 0 < share <= 1):
                raise UsageError(f"Received {name}={share!r}. Expected a share, such as 0.95")
        self.gpu = gpu
        self.host = host
        self.verbose = verbose
        self.reason = ""
        self._measuring = Measuring()
        self._next = 0.0

    def on_train_begin(self, logs: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        self.reason = ""
        self._measuring.start()

    def on_train_batch_begin(self, batch: int, logs: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        # Keras looks at `stop_training` at the end of this batch.
        if time.monotonic() >= self._next and not self.reason:
            self._next = time.monotonic() + _EVERY_SECONDS
            self._look()

    def on_train_end(self, logs: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        self._measuring.stop()

    def get_state(self) -> dict[str, Any]:
        """Nothing that a snapshot has to keep."""
        return {}

    def set_state(self, state: dict[str, Any]) -> None:
        """After a restart it looks anew."""

    def _look(self) -> None:
        found = self._measuring.read()
        for what, share, used, limit in (
            ("GPU memory", self.gpu, "allocator_peak_bytes", "allocator_limit_bytes"),
            ("host memory", self.host, "host_bytes", "host_limit_bytes"),
        ):
            if share is None or not found.get(limit) or found.get(used, 0) < share * found[limit]:
                continue
            self.reason = (
                f"training uses {size(int(found[used]))} of {what}, and can have "
                f"{size(int(found[limit]))}: that is {found[used] / found[limit]:.0%}, and "
                f"StopOnPressure stops it at {share:.0%}"
            )
            self.model.stop_training = True
            if self.verbose:
                print(f"\n{self.reason}", file=sys.stderr)  # noqa: T201
            return
