"""The kernel's side: draws batches and hands them to the training process."""

import contextlib
import itertools
import os
import sys
import tempfile
import threading
from collections.abc import Iterable, Mapping
from multiprocessing.connection import Client, Connection, Listener
from pathlib import Path
from typing import Any

from fitguard.keras.position.exactness import assess_validation, why_pipeline_differs
from fitguard.notebook.feed.fed import Fed
from fitguard.notebook.feed.slots import Slot
from fitguard.notebook.parcel.files import MEMORY, HeldFolder

_SLOTS = 4
"""Batches that are drawn before they are asked for, as `prefetch` would."""
_LEAVING_SECONDS = 10.0


class Feed:
    """All datasets of one training that stay in the kernel.

    Args:
        folder: On a disk, for batches that memory has no room for.
        before: Datasets of an earlier call that this one goes on with: their orders are known.
    """

    def __init__(self, folder: Path, before: Iterable[Fed] = (), memory: Path = MEMORY) -> None:
        self._folder = folder
        self._before = {id(fed.dataset): fed for fed in before}
        self.datasets: list[Fed] = []
        self._memory = memory if os.access(memory, os.W_OK) else Path(tempfile.gettempdir())
        self._held: HeldFolder | None = None
        self._listener: Listener | None = None
        self._readers: dict[threading.Thread, int] = {}
        self._numbers = itertools.count()

    def add(self, dataset: Any) -> int:
        """Its number. What cannot be drawn again as it was is said."""
        for number, fed in enumerate(self.datasets):
            if fed.dataset is dataset:
                return number
        shared = [assess_validation(fed.dataset, dataset) for fed in self.datasets]
        alone = why_pipeline_differs(dataset, orders_kept=True)
        for sentence in dict.fromkeys(itertools.chain(alone, *shared)):
            sys.stderr.write(f"fitguard: {sentence}\n")
        self.datasets.append(self._before.get(id(dataset)) or Fed(dataset))
        self._open()
        return len(self.datasets) - 1

    def catch_up(self, iterators: Mapping[int, int]) -> None:
        """Make those, too, that the training process made last and has not read."""
        for number, count in iterators.items():
            if count:
                self.datasets[number].iterator(count - 1)

    @property
    def address(self) -> Path | None:
        """Where the training process finds it; None where there is nothing to feed."""
        return self._held.path / "feed" if self._held is not None else None

    def close(self) -> None:
        """After the training process has ended: its connections have, too."""
        if self._listener is None or self._held is None:
            return
        listener, self._listener = self._listener, None
        with contextlib.suppress(OSError):
            # Wakes the thread that waits for one.
            Client(str(self.address), "AF_UNIX").close()
        self._thread.join(_LEAVING_SECONDS)
        listener.close()
        self._held.remove()

    def _open(self) -> None:
        if self._listener is None:
            self._held = HeldFolder(self._memory)
            self._listener = Listener(str(self.address), "AF_UNIX")
            self._thread = threading.Thread(target=self._accept, name="fitguard-feed", daemon=True)
            self._thread.start()

    def _accept(self) -> None:
        while (listener := self._listener) is not None:
            with contextlib.suppress(OSError, EOFError):
                connection = listener.accept()
                thread = threading.Thread(
                    target=self._serve, args=(connection,), name="fitguard-feed-reader", daemon=True
                )
                thread.start()

    def _serve(self, connection: Connection) -> None:
        """One iterator, to its end or that of its reader."""
        with connection, contextlib.suppress(EOFError, OSError):
            process, dataset, number = connection.recv()
            self._await_others(process)
            slots = self._new_slots()
            try:
                _draw(self.datasets[dataset], number, connection, slots)
                while True:
                    connection.recv_bytes()
            finally:
                for slot in slots:
                    slot.remove()

    def _await_others(self, process: int) -> None:
        """Those who drew for a process that has died must not move a shuffle any more."""
        for thread, reader in list(self._readers.items()):
            if reader != process:
                thread.join(_LEAVING_SECONDS)
                self._readers.pop(thread, None)
        self._readers[threading.current_thread()] = process

    def _new_slots(self) -> list[Slot]:
        assert self._held is not None
        names = [f"slot-{next(self._numbers)}" for _ in range(_SLOTS)]
        return [Slot(self._held.path / name, [self._folder / name]) for name in names]


def _draw(fed: Fed, number: int, connection: Connection, slots: list[Slot]) -> None:
    """Send batches, as far ahead as there are slots."""
    import tensorflow as tf

    unread = 0
    try:
        iterator = fed.iterator(number)
        for slot in itertools.cycle(slots):
            while unread == len(slots) or (unread and connection.poll()):
                connection.recv_bytes()
                unread -= 1
            flat = tf.nest.flatten(next(iterator), expand_composites=True)
            size, places = slot.write(flat)
            connection.send(("batch", str(slot.path), size, places))
            unread += 1
    except StopIteration:
        connection.send(("end",))
    except (EOFError, OSError):
        raise
    except Exception as error:  # whatever the pipeline raises belongs to the training
        connection.send(("error", f"{type(error).__name__}: {error}"))
