"""The fork server, from outside."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from corpus.cases import LIBRARY
from corpus.moments import Moment, as_order

_SERVER = Path(__file__).parent / "fork_server.py"
_TESTS = Path(__file__).parent.parent
SEED = 5
"""Of all guarded runs here; the order of sets follows it, as under `fitguard run`."""


@dataclass(frozen=True)
class Ended:
    """How a training process ended: its code, negative for a signal."""

    code: int
    seconds: float


class ForkServer:
    """Trains scripts in processes that have TensorFlow already. One at a time.

    Args:
        python: The interpreter; its TensorFlow and its Keras are used.
        environment: More variables, of the server and all trainings.
    """

    def __init__(self, python: str = sys.executable, **environment: str) -> None:
        path = [str(LIBRARY), str(_TESTS), str(_TESTS.parent / "src")]
        self._process = subprocess.Popen(
            [python, str(_SERVER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(path),
                "PYTHONHASHSEED": str(SEED),
                "PYTHONDONTWRITEBYTECODE": "1",
                "TF_CPP_MIN_LOG_LEVEL": "3",
                "CUDA_VISIBLE_DEVICES": "-1",
                "OPENBLAS_NUM_THREADS": "1",
                **environment,
            },
        )

    def __enter__(self) -> "ForkServer":
        return self

    def __exit__(self, *_: Any) -> None:
        self._process.communicate()

    def train(
        self,
        script: Path,
        folder: Path,
        *arguments: Path,
        run: Path | None = None,
        moment: Moment | None = None,
        environment: Mapping[str, str] = MappingProxyType({}),
    ) -> Ended:
        """Run a script in `folder`/work, as plain Python does or as an attempt of a guarded run.

        Its output is added to `folder`/output.txt, its events to `folder`/events.txt.
        """
        work = folder / "work"
        work.mkdir(parents=True, exist_ok=True)
        order = {
            "script": str(script),
            "arguments": [*map(str, arguments)],
            "folder": str(work),
            "log": str(folder / "output.txt"),
            "events": str(folder / "events.txt"),
            "run": str(run) if run is not None else None,
            "moment": as_order(moment),
            "environment": {"XDG_CACHE_HOME": str(folder / "cache"), **environment},
        }
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError(f"The fork server ended: {self._process.wait()}")
        return Ended(**json.loads(answer))
