"""`MemoryMonitor`."""

import time
from collections.abc import Collection
from typing import Any

from fitguard.keras.callbacks.base import Callback
from fitguard.keras.callbacks.measuring import Measuring
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.metrics import METRICS

SHOWN = (
    *("allocator_bytes", "allocator_peak_bytes", "host_bytes"),
    *("gpu_process_bytes", "gpu_busy_ratio", "gpu_temperature"),
)


class MemoryMonitor(Callback):
    """Puts memory of GPU and host, and the time of a step, into `logs`.

    TensorBoard, CSVLogger, W&B, MLflow and History write down what they find in `logs`, if they
    stand *behind* this callback in the list. What cannot be measured here is left out: without a
    GPU, there is nothing but the memory of the host. Of several GPUs, the first one has the plain
    name, the others their number behind it: `gpu_process_bytes_1`.

    Args:
        metrics: Names of what is wanted, see `fitguard.schema.metrics`; `None` for the memory of
            allocator, GPU and host, how busy the GPU is, and its temperature.
        every_batches: Also put them into the logs of each such batch; by default only into those of
            epochs.

    Example:
        >>> model.fit(x, y, callbacks=[fitguard.keras.MemoryMonitor(), TensorBoard("logs")])

    Raises:
        UsageError: for a name that nothing is measured under.
    """

    def __init__(
        self, metrics: Collection[str] | None = None, every_batches: int | None = None
    ) -> None:
        super().__init__()
        for name in metrics or ():
            if name not in METRICS:
                raise UsageError(
                    f"Received the metric {name}. Expected some of {', '.join(METRICS)}"
                )
        if every_batches is not None and not (isinstance(every_batches, int) and every_batches > 0):
            raise UsageError(f"Received every_batches={every_batches!r}. Expected 1, 2, 3 …")
        self.metrics = tuple(metrics or (*SHOWN, "step_seconds"))
        self.every_batches = every_batches
        self._measuring = Measuring()
        self._steps = 0
        self._since = 0.0
        if every_batches is not None:
            # Only where it is wanted: Keras then waits for the numbers of each batch.
            self.on_train_batch_end = self._write_batch

    def on_train_begin(self, logs: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        self._measuring.start()

    def on_epoch_begin(self, epoch: int, logs: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        self._steps, self._since = 0, time.perf_counter()

    def on_train_batch_begin(self, batch: int, logs: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        self._steps += 1

    def _write_batch(self, batch: int, logs: dict[str, Any] | None = None) -> None:
        if self.every_batches and logs is not None and (batch + 1) % self.every_batches == 0:
            logs.update(self._read())

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        if logs is not None:
            logs.update(self._read())

    def on_train_end(self, logs: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        self._measuring.stop()

    def get_state(self) -> dict[str, Any]:
        """Nothing that a snapshot has to keep."""
        return {}

    def set_state(self, state: dict[str, Any]) -> None:
        """After a restart it measures anew."""

    def _read(self) -> dict[str, float]:
        found = self._measuring.read()
        if self._steps:
            found["step_seconds"] = (time.perf_counter() - self._since) / self._steps
        named = ((column.removesuffix(":0").replace(":", "_"), column) for column in found)
        return {
            name: float(found[column])
            for name, column in named
            if column.partition(":")[0] in self.metrics
        }
