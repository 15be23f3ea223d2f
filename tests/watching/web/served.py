"""`fitguard watch --web` as a process, and what it answers."""

import contextlib
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import programs
from cli.process import FITGUARD
from watching.made_folder import make_folder

from fitguard.monitor.run_folder import RunFolder
from fitguard.supervise.lock import locking_run

ID = "20251115-100000-train-aaaa"


class Served:
    """The command, and the address that it printed.

    Args:
        start: What starts it; by default it ends with the test.
    """

    def __init__(self, cwd: Path, *arguments: str, start=programs.start) -> None:
        self.process = start(
            [FITGUARD, "watch", "--web", *arguments],
            cwd=cwd,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.address = self.process.stdout.readline().strip()

    @property
    def root(self) -> str:
        return self.address.partition("?")[0]

    @property
    def token(self) -> str:
        return self.address.partition("token=")[2]

    def get(self, path: str = "", **query: str) -> httpx.Response:
        """With the token, unless another is given."""
        return httpx.get(f"{self.root}{path}", params={"token": self.token} | query, timeout=60)

    def stream(self, **query: str) -> Iterator[dict[str, Any]]:
        """The pages that the server sends."""
        query = {"token": self.token} | query
        with httpx.stream("GET", f"{self.root}stream", params=query, timeout=60) as answer:
            assert answer.status_code == 200, answer.read()
            for line in answer.iter_lines():
                if line.startswith("data: "):
                    yield json.loads(line.removeprefix("data: "))


@contextlib.contextmanager
def serving(cwd: Path, *arguments: str) -> Iterator[Served]:
    """One for several tests."""
    served = Served(cwd, *arguments, start=subprocess.Popen)
    try:
        yield served
    finally:
        served.process.kill()
        served.process.communicate()


@contextlib.contextmanager
def running_run(folder: Path, name: str = ID, **options: Any) -> Iterator[RunFolder]:
    """A run that somebody guards."""
    made = make_folder(folder / "fitguard-runs" / name, ended=False, **{"seconds": 60} | options)
    with locking_run(made):
        yield made
