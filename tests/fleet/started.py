"""A Ray as users start one: `ray start --head` in a process, with jobs, clients, token and TLS.

Everything listens on loopback, on ports that are free now, and ends with the test. It is one node:
`ray start` refuses a second one where all listen on loopback.
"""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path

import programs
import psutil
from fleet.clusters import SETTINGS, wait_for

RAY = str(Path(sys.executable).parent / "ray")
_PORTS = (
    *("port", "dashboard-port", "ray-client-server-port", "node-manager-port"),
    *("runtime-env-agent-port", "dashboard-agent-grpc-port", "dashboard-agent-listen-port"),
    *("metrics-export-port", "object-manager-port"),
)
_START_SECONDS = 200.0
_TRIES = 3
"""`ray start` gives up after 30 seconds, which a busy machine may need."""


class StartedRay:
    """A head with declared cards.

    Args:
        cards: `FakeA:600MiB,FakeB:300MiB`.
        environment: Of all its processes, beside what they need.

    Attributes:
        environment: What commands need that talk to it.
        address: Of the head.
        client: For `ray://`.
        dashboard: For jobs.
    """

    def __init__(self, cards: str, **environment: str) -> None:
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        self.environment = {**os.environ, **SETTINGS, "PATH": path, **environment}
        self.environment.pop("RAY_ADDRESS", None)
        for left in reversed(range(_TRIES)):
            self._make_place()
            if self._start(cards):
                return
            log = (self.folder / "start.log").read_text()
            self.stop()
            assert left, log

    def call(self, *words: object, **options) -> subprocess.CompletedProcess:
        """Run a command that talks to it, such as `ray job stop`."""
        environment = {**self.environment, **options.pop("environment", {})}
        return subprocess.run(
            [*map(str, words)], env=environment, capture_output=True, text=True, **options
        )

    def fitguard(self, *words: object, **options) -> subprocess.CompletedProcess:
        """Run `fitguard fleet`."""
        return self.call(sys.executable, "-m", "fitguard", "fleet", *words, **options)

    def stop(self) -> None:
        """End all of its processes, and nobody else's."""
        for process in [self._process, *find_of(self.folder)]:
            end_tree(process.pid)
        self._process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _make_place(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="fgs-", dir="/tmp"))
        (self.folder / "ray").mkdir()
        self.environment["RAY_TMPDIR"] = str(self.folder)
        self._ports = find_ports(_PORTS)
        self.address = f"127.0.0.1:{self._ports['port']}"
        self.client = f"ray://127.0.0.1:{self._ports['ray-client-server-port']}"
        self.dashboard = f"http://127.0.0.1:{self._ports['dashboard-port']}"

    def _start(self, cards: str) -> bool:
        """Whether jobs and clients can come."""
        words = [f"--{name}={port}" for name, port in self._ports.items()]
        words += ["--node-ip-address=127.0.0.1", f"--temp-dir={self.folder}"]
        words += ["--num-cpus=2", f"--num-gpus={cards.count(',') + 1}"]
        words += [f"--object-store-memory={80 * 2**20}", "--disable-usage-stats"]
        with (self.folder / "start.log").open("wb") as log:
            self._process = programs.start(
                [RAY, "start", "--head", "--block", *words],
                env={**self.environment, "FITGUARD_CARDS": cards},
                cwd=self.folder,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        for at in (self.address, self.client, self.dashboard):
            wait_for(lambda at=at: self._process.poll() is not None or listens(at), _START_SECONDS)
        text = "Ray runtime started"
        log = self.folder / "start.log"
        wait_for(lambda: self._process.poll() is not None or text in log.read_text())
        return self._process.poll() is None


def end_tree(pid: int) -> None:
    """kill -9 of a process and of all that it started."""
    with contextlib.suppress(psutil.NoSuchProcess):
        process = psutil.Process(pid)
        for one in [process, *process.children(recursive=True)]:
            with contextlib.suppress(psutil.NoSuchProcess):
                one.kill()


def find_of(folder: Path) -> list[psutil.Process]:
    """Processes of the Ray whose temporary folder it is."""
    found = []
    for process in psutil.process_iter(["cmdline"]):
        words = process.info["cmdline"] or []
        if any(str(folder) in word for word in words) and process.pid != os.getpid():
            found.append(process)
    return found


def find_ports(names: Iterable[str]) -> dict[str, int]:
    """A port for each of them that is free now."""
    with ExitStack() as held:
        sockets = {name: held.enter_context(socket.socket()) for name in names}
        for one in sockets.values():
            one.bind(("127.0.0.1", 0))
        return {name: one.getsockname()[1] for name, one in sockets.items()}


def listens(address: str) -> bool:
    """Whether somebody does, at `ray://HOST:PORT` for example."""
    host, _, port = address.rpartition("/")[2].rpartition(":")
    with contextlib.suppress(OSError), socket.create_connection((host, int(port)), 2):
        return True
    return False


@contextlib.contextmanager
def started_ray(cards: str, **environment: str) -> Iterator[StartedRay]:
    """It ends with this."""
    running = StartedRay(cards, **environment)
    try:
        yield running
    finally:
        running.stop()
