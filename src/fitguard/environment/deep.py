"""`--deep`: TensorFlow imported in a child of the interpreter. A crash there is a result."""

import json
import os
import secrets
import signal
import sys
import time
from pathlib import Path
from typing import Any

from fitguard import contract
from fitguard.facts import child_process
from fitguard.schema.facts import Facts
from fitguard.schema.software import DeepImport

LIMIT_SECONDS = 120.0
_LOG_LINES = 40


def import_tensorflow(facts: Facts, limit_seconds: float = LIMIT_SECONDS) -> DeepImport:
    """Import TensorFlow in the interpreter that the facts name, and tell what came of it.

    Args:
        facts: Gathered before; its `python.executable` is used, else the running interpreter.
        limit_seconds: When the child is stopped.
    """
    python = facts.python.executable if facts.python and facts.python.executable else sys.executable
    marker = f"fitguard-{secrets.token_hex(8)}:"
    script = Path(contract.__file__).with_name("deep_child.py")
    started = time.monotonic()
    # The Python stack of a crash is often the only word left. Python 2.7 ignores the variable.
    environment = {**os.environ, "PYTHONFAULTHANDLER": "1"}
    outcome = child_process.run([python, str(script), marker], environment, limit_seconds)
    answer = _answer(outcome.stdout, marker)
    return DeepImport(
        version=answer.get("version"),
        build=answer.get("build", {}),
        gpus=tuple(answer["gpus"]) if "gpus" in answer else None,
        exit_code=outcome.exit_code,
        signal=_signal_name(outcome.exit_code) if not outcome.timed_out else None,
        timed_out=outcome.timed_out,
        seconds=round(time.monotonic() - started, 2),
        log=tuple(outcome.stderr.decode("utf-8", "replace").splitlines()[-_LOG_LINES:]),
    )


def _answer(stdout: bytes, marker: str) -> dict[str, Any]:
    for line in stdout.decode("utf-8", "replace").splitlines():
        if line.startswith(marker):
            answer: dict[str, Any] = json.loads(line.removeprefix(marker))
            return answer
    return {}


def _signal_name(exit_code: int | None) -> str | None:
    if exit_code is None or exit_code >= 0:
        return None
    try:
        return signal.Signals(-exit_code).name
    except ValueError:
        return f"signal {-exit_code}"
