"""Scripts that train in a child process, or in a thread of their own."""

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from multiprocessing.context import ForkProcess
from multiprocessing.process import BaseProcess
from types import FrameType
from typing import Any, NoReturn


class ChildLine:
    """Carries the line at which a child process would train to the process that runs the script.

    The child tells it through a pipe, and wakes the script with a signal: that may wait for what
    the child will never send.
    """

    def __init__(self) -> None:
        self._parent = os.getpid()
        self._read, self._write = os.pipe()
        os.set_blocking(self._read, False)

    def stop_here(self, line: int) -> NoReturn:
        """End the child process."""
        os.write(self._write, f"{line}\n".encode())
        os.kill(self._parent, signal.SIGURG)
        os._exit(0)

    def read_line(self) -> int | None:
        """The line; None where no child would train."""
        try:
            text = os.read(self._read, 64)
        except BlockingIOError:
            return None
        return int(text.split()[0]) if text else None

    @contextlib.contextmanager
    def waking(self, stop: type[BaseException]) -> Iterator[None]:
        """Raise `stop` in the script when a child tells."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def wake(*_: Any) -> NoReturn:
            raise stop

        before = signal.signal(signal.SIGURG, wake)
        try:
            yield
        finally:
            signal.signal(signal.SIGURG, before)

    def close(self) -> None:
        """Give the pipe back."""
        os.close(self._read)
        os.close(self._write)


class Spawned:
    """Notices processes that the script starts anew: their `fit` is not seen, and trains.

    Attributes:
        lines: Where the script starts them.
    """

    def __init__(self, line_of: Callable[[FrameType], int]) -> None:
        self.lines: list[int] = []
        self._line_of = line_of

    @contextlib.contextmanager
    def noticing(self) -> Iterator[None]:
        """While the script runs; forked processes carry what stops them in them."""
        start = BaseProcess.start

        def notice(process: BaseProcess) -> None:
            if not _is_forked(process):
                self.lines.append(self._line_of(sys._getframe(1)))
            start(process)

        BaseProcess.start = notice  # type: ignore[assignment, method-assign]
        try:
            yield
        finally:
            BaseProcess.start = start  # type: ignore[method-assign]


def _is_forked(process: BaseProcess) -> bool:
    if isinstance(process, multiprocessing.Process):
        return multiprocessing.get_start_method() == "fork"
    return isinstance(process, ForkProcess)


@contextlib.contextmanager
def quiet_threads(stop: type[BaseException]) -> Iterator[None]:
    """A thread that ends with `stop` prints no traceback."""
    before = threading.excepthook

    def hook(args: Any) -> Any:
        return None if issubclass(args.exc_type, stop) else before(args)

    threading.excepthook = hook
    try:
        yield
    finally:
        threading.excepthook = before
