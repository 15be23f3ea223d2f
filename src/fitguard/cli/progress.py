"""A sign of life on stderr, for what takes longer than two seconds, on a terminal only."""

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterator

PATIENCE_SECONDS = 2.0


@contextlib.contextmanager
def waiting(what: str) -> Iterator[None]:
    """Say what is going on, and for how long, until it is done."""
    if not sys.stderr.isatty():
        yield
        return
    done = threading.Event()
    thread = threading.Thread(target=_show, args=(what, done), daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _show(what: str, done: threading.Event) -> None:
    started = time.monotonic()
    if done.wait(PATIENCE_SECONDS):
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(stderr=True)
    with console.status(Text(what)) as status:
        while not done.wait(0.5):
            status.update(Text(f"{what} {time.monotonic() - started:.0f} s"))


@contextlib.contextmanager
def bar(what: str) -> Iterator[Callable[[str, int, int | None], None] | None]:
    """A bar that is told what is being read, how much is done, and of how much."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn(f"{what} {{task.fields[name]}}", markup=False),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeRemainingColumn(),
    )
    shown = Progress(*columns, console=Console(stderr=True), transient=True)
    task = shown.add_task("", name="", total=None)
    started = time.monotonic()

    def tell(name: str, done: int, total: int | None) -> None:
        if time.monotonic() - started > PATIENCE_SECONDS:
            shown.start()
        shown.update(task, name=name, completed=done, total=total)

    try:
        yield tell
    finally:
        shown.stop()


@contextlib.contextmanager
def countdown(what: str) -> Iterator[Callable[[str, float, float], None]]:
    """A bar that is told what runs, which share is done, and how many seconds are left."""
    if not sys.stderr.isatty():
        yield lambda *_: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    from fitguard.words import duration

    columns = (
        TextColumn(f"{what} {{task.fields[name]}}", markup=False),
        BarColumn(),
        TextColumn("about {task.fields[left]} left", markup=False),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task("", name="", left="", total=1.0)

        def tell(name: str, share: float, left_seconds: float) -> None:
            shown.update(task, name=name, left=duration(left_seconds), completed=share)

        yield tell
