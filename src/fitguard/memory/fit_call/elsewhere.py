"""Scripts that train in a child process, or in a thread of their own."""

import contextlib
import os
import signal
import threading
from collections.abc import Iterator
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
