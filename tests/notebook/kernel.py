"""A real Jupyter kernel that runs cells, for tests."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

_CELL_SECONDS = 300
_LOOK_SECONDS = 0.05


class Shown(str):
    """What a cell showed on stdout; `errors` on stderr, `raised` the error that it ended with."""

    errors: str
    raised: str


class Kernel:
    """Runs cells one by one, in a folder of its own."""

    def __init__(self, client: NotebookClient, folder: Path) -> None:
        self._client = client
        self.folder = folder

    def run(self, source: str) -> Shown:
        """Run a cell to its end, whatever it ends with."""
        cells = self._client.nb.cells
        cells.append(nbformat.v4.new_code_cell(source))
        self._client.execute_cell(cells[-1], len(cells) - 1)
        return _shown(cells[-1].outputs)

    def interrupt_when(self, path: Path) -> threading.Thread:
        """Interrupt as Jupyter does, as soon as a file is there; then `interrupted` is."""

        def wait() -> None:
            until = time.monotonic() + _CELL_SECONDS
            while not path.exists() and time.monotonic() < until:
                time.sleep(_LOOK_SECONDS)
            os.killpg(os.getpgid(self.pid), signal.SIGINT)
            (self.folder / "interrupted").touch()

        thread = threading.Thread(target=wait, daemon=True)
        thread.start()
        return thread

    @property
    def pid(self) -> int:
        pid: int = self._client.km.provisioner.pid
        return pid


@contextmanager
def kernel_in(folder: Path) -> Iterator[Kernel]:
    """A kernel that is started here and ends here."""
    client = NotebookClient(
        nbformat.v4.new_notebook(),
        timeout=_CELL_SECONDS,
        kernel_name="python3",
        allow_errors=True,
        resources={"metadata": {"path": str(folder)}},
    )
    with client.setup_kernel(env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}):
        yield Kernel(client, folder)


def _shown(outputs: list[Any]) -> Shown:
    def text(name: str) -> str:
        return "".join(
            out.text for out in outputs if out.output_type == "stream" and out.name == name
        )

    shown = Shown(text("stdout"))
    shown.errors = text("stderr")
    shown.raised = "".join(
        f"{out.ename}: {out.evalue}" for out in outputs if out.output_type == "error"
    )
    return shown
