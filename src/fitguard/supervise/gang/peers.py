"""Whether the other workers are alive: by the lease that each of them holds on its own run.

A lease that does not change for as long as it lasts, by the clock of the one who looks, is that of
a worker that is gone. Of one on this machine, the kernel tells at once.
"""

import contextlib
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from fitguard.monitor.gang_folder import GangFolder
from fitguard.monitor.lease_files import LASTS_SECONDS, LeaseFile, read_lease
from fitguard.monitor.snapshot_names import list_snapshots
from fitguard.schema.gang import SavedPlace
from fitguard.supervise.lease_owner import has_our_numbers, is_alive


@dataclass
class _Sign:
    """The last sign of life of one worker, and when it was seen."""

    file: LeaseFile
    seen_at: float


class Peers:
    """The other workers of a gang.

    Args:
        worker: This one.
    """

    def __init__(
        self,
        folder: GangFolder,
        worker: int,
        workers: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._folder = folder
        self.others = tuple(number for number in range(workers) if number != worker)
        self._clock = clock
        self._signs: dict[int, _Sign] = {}

    def look(self) -> None:
        """Take note of new signs of life."""
        now = self._clock()
        for worker in self.others:
            with contextlib.suppress(OSError):
                file = read_lease(self._folder.find_worker(worker).path)
                known = self._signs.get(worker)
                if file is not None and (known is None or known.file.content != file.content):
                    self._signs[worker] = _Sign(file, now)

    def list_gone(self, among: Iterable[int]) -> list[int]:
        """Those that were there, and are not any more."""
        return [worker for worker in among if worker in self._signs and self._is_gone(worker)]

    def is_there(self, worker: int) -> bool:
        """Whether a worker is alive, as far as can be seen."""
        return worker in self._signs and not self._is_gone(worker)

    def _is_gone(self, worker: int) -> bool:
        sign = self._signs[worker]
        lease = sign.file.lease
        if lease is not None and lease.released:
            return True
        if lease is not None and has_our_numbers(lease) and not is_alive(lease):
            return True
        lasts = lease.lasts_seconds if lease is not None else LASTS_SECONDS
        return self._clock() - sign.seen_at > lasts

    def describe(self, worker: int) -> str:
        """`worker 2, last seen on node-b 40 s ago`."""
        sign = self._signs.get(worker)
        if sign is None:
            return f"worker {worker}, which was not seen yet"
        host = sign.file.lease.host if sign.file.lease is not None else ""
        where = f" on {host}" if host else ""
        seconds = self._clock() - sign.seen_at
        if self.is_there(worker):
            return f"worker {worker}, which is alive{where}"
        return f"worker {worker}, last seen{where} {seconds:.0f} s ago"

    def list_saved(self, workers: Iterable[int]) -> list[set[SavedPlace]]:
        """Of which places each of these has a snapshot, by the names of its files."""
        return [list_places(self._folder, worker) for worker in workers]


def list_places(folder: GangFolder, worker: int) -> set[SavedPlace]:
    """Of which places one worker has a snapshot."""
    with contextlib.suppress(OSError):
        return {file.place for file in list_snapshots(folder.find_worker(worker).snapshots)}
    return set()
