"""The thread that writes snapshots while training goes on."""

import contextlib
import os
import threading
import time
import traceback
from collections.abc import Callable
from typing import NamedTuple

from fitguard.keras.snapshots.content import Content
from fitguard.keras.snapshots.store import SnapshotStore
from fitguard.schema.run import Place

_NICER = 10
"""Training goes first where cores are short."""


class _Job(NamedTuple):
    content: Content
    place: Place
    taking_seconds: float
    end: bool


class SnapshotWriter:
    """Writes one snapshot at a time; one more may wait, and a newer one takes its place.

    A disk that is full, read-only or gone costs the snapshot, never the training.

    Args:
        on_written: Called in the thread with place, bytes, seconds of taking, seconds of writing,
            and whether it is the end of a fit.
        on_failed: Called with place and error where one could not be written.
        prepare: Called before each: has on the disk what snapshots rely on beside themselves.
        released: Called with what nobody looks at any more: it was written, given up or dropped.

    Attributes:
        cpu_seconds: CPU time of the thread so far; `last_cpu_seconds` for the last snapshot,
            already set when `on_written` and `on_failed` are called.
    """

    def __init__(
        self,
        store: SnapshotStore,
        *,
        on_written: Callable[[Place, int, float, float, bool], None],
        on_failed: Callable[[Place, OSError], None],
        prepare: Callable[[], None] = lambda: None,
        released: Callable[[Content], None] = lambda _: None,
    ) -> None:
        self.cpu_seconds = 0.0
        self.last_cpu_seconds = 0.0
        self._store = store
        self._on_written = on_written
        self._on_failed = on_failed
        self._prepare = prepare
        self._released = released
        self._changed = threading.Condition()
        self._waiting: _Job | None = None
        self._busy = False
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="fitguard-snapshots", daemon=True)
        self._thread.start()

    def submit(
        self, content: Content, place: Place, taking_seconds: float, *, end: bool = False
    ) -> None:
        """Have it written. The arrays must not change any more.

        A waiting one that is no end is dropped for it; for an end that waits, this call waits.
        """
        with self._changed:
            self._changed.wait_for(lambda: not (self._waiting and self._waiting.end))
            if not self._closed:
                if self._waiting is not None:
                    self._released(self._waiting.content)
                self._waiting = _Job(content, place, taking_seconds, end)
                self._changed.notify_all()
                return
        self._on_failed(place, OSError("the writer of snapshots is closed"))

    def wait(self, timeout_seconds: float | None = None) -> bool:
        """Until nothing waits and nothing is being written; whether that came in time."""
        with self._changed:
            return self._changed.wait_for(self._is_idle, timeout_seconds)

    def close(self) -> None:
        """Write what waits, and end the thread."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        if self._thread is not threading.current_thread():
            self._thread.join()

    def _is_idle(self) -> bool:
        return self._waiting is None and not self._busy

    def _run(self) -> None:
        with contextlib.suppress(OSError, AttributeError):
            _be_nicer()
        while (job := self._next()) is not None:
            try:
                self._write(job)
            except Exception:
                # A callback failed: the next snapshot is worth more than this thread's end.
                traceback.print_exc()
            self._released(job.content)
            del job
            with self._changed:
                self._busy = False
                self._changed.notify_all()

    def _next(self) -> _Job | None:
        with self._changed:
            self._changed.wait_for(lambda: self._waiting is not None or self._closed)
            job, self._waiting = self._waiting, None
            self._busy = job is not None
            self._changed.notify_all()
            return job

    def _write(self, job: _Job) -> None:
        began, cpu = time.perf_counter(), time.thread_time()
        error, written = None, 0
        try:
            self._prepare()
            written = self._store.save(job.content, job.place, end=job.end)
        except OSError as failure:
            error = failure
        except Exception as failure:
            error = OSError(f"{type(failure).__name__}: {failure}")
        self.last_cpu_seconds = time.thread_time() - cpu
        self.cpu_seconds += self.last_cpu_seconds
        seconds = time.perf_counter() - began
        if error is not None:
            self._on_failed(job.place, error)
        else:
            self._on_written(job.place, written, job.taking_seconds, seconds, job.end)


def _be_nicer() -> None:
    thread = threading.get_native_id()
    lowest = 19
    os.setpriority(
        os.PRIO_PROCESS, thread, min(lowest, os.getpriority(os.PRIO_PROCESS, thread) + _NICER)
    )
