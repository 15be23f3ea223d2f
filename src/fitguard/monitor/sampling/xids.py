"""Xids, the error numbers of NVIDIA's driver, as they come: from NVML, or from the kernel's log."""

import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fitguard.facts.kernel_log import read_new_lines
from fitguard.facts.kernel_messages import parse
from fitguard.monitor.sampling.gpus import GpuReader
from fitguard.monitor.sampling.host import Values

KMSG = Path("/dev/kmsg")


class XidWatch:
    """Waits for Xids of the GPUs that a reader asks.

    Args:
        wait: Called with seconds where NVML does not wait itself.

    Attributes:
        missing: Why nobody tells; empty where somebody does.
    """

    def __init__(
        self, reader: GpuReader, wait: Callable[[float], object], kmsg: Path = KMSG
    ) -> None:
        self._nvml = reader.binding
        self._devices = reader.devices
        self._wait = wait
        self._kmsg: int | None = None
        self.missing = ""
        self._events = self._register()
        if self._events is None and self._devices:
            self._open_log(kmsg)

    def wait_for(self, seconds: float) -> Values:
        """The newest Xid of each GPU that had one, by column; after that time, or at one."""
        if self._events is not None:
            return self._ask(seconds)
        self._wait(seconds)
        return self._read_log() if self._kmsg is not None else {}

    def close(self) -> None:
        if self._kmsg is not None:
            os.close(self._kmsg)
            self._kmsg = None

    def _register(self) -> Any:
        """None where no GPU tells NVML: in containers and with MIG often none does."""
        if not self._devices:
            return None
        nvml = self._nvml
        with contextlib.suppress(nvml.NVMLError):
            events = nvml.nvmlEventSetCreate()
            for device in self._devices:
                nvml.nvmlDeviceRegisterEvents(
                    *device.ask.handle, nvml.nvmlEventTypeXidCriticalError, events
                )
            return events
        return None

    def _ask(self, seconds: float) -> Values:
        nvml = self._nvml
        try:
            event = nvml.nvmlEventSetWait_v2(self._events, int(seconds * 1000))
            return {f"gpu_xid:{nvml.nvmlDeviceGetIndex(event.device)}": event.eventData}
        except nvml.NVMLError as error:
            if error.value != nvml.NVML_ERROR_TIMEOUT:
                # A GPU that is lost makes each call fail at once.
                self._events = None
                self._open_log(KMSG)
        return {}

    def _open_log(self, kmsg: Path) -> None:
        try:
            self._kmsg = os.open(kmsg, os.O_RDONLY | os.O_NONBLOCK)
            os.lseek(self._kmsg, 0, os.SEEK_END)
        except OSError as error:
            self.missing = (
                "Xid errors are not seen while it runs: NVML does not report them here, and "
                f"{kmsg}: {error.strerror}"
            )

    def _read_log(self) -> Values:
        assert self._kmsg is not None
        xids = parse(read_new_lines(self._kmsg), "/dev/kmsg").xids
        numbers = {xid.pci_address: xid.number for xid in xids}
        return {
            f"gpu_xid:{device.index}": numbers[device.pci_address]
            for device in self._devices
            if device.pci_address in numbers
        }
