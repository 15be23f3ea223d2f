"""Trainings without the seconds that the import of TensorFlow takes: a process that forks them.

    python fork_server.py

Reads one order a line, as JSON (`forking` writes them), and answers each with how it ended.
It has imported TensorFlow and has executed nothing: no thread of the runtime exists before a fork.
Each training is a process of its own, and a kill of it is a real one.
"""

import contextlib
import gc
import json
import os
import runpy
import select
import signal
import sys
import time
from pathlib import Path

from corpus.moments import Moment, watch

_IN_TIME = 300.0


def main() -> int:
    """Serve until the end of the input; in a forked process, what it shall exit with."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    import keras  # noqa: F401
    import tensorflow  # noqa: F401

    import fitguard.keras.bootstrap  # noqa: F401

    # What is there now stays, and is not looked at again: that is half of the time of a training.
    gc.collect()
    gc.freeze()
    for line in sys.stdin:
        order = json.loads(line)
        began = time.monotonic()
        pid = os.fork()
        if pid == 0:
            answers.close()
            return train(order)
        code = wait_for(pid, order["moment"])
        answers.write(json.dumps({"code": code, "seconds": time.monotonic() - began}) + "\n")
        answers.flush()
    return 0


def train(order: dict) -> int:
    """Be the training process that the order is about."""
    os.setsid()
    _redirect(order["log"])
    os.chdir(order["folder"])
    os.environ.update(order["environment"])
    moment = order["moment"]
    watch(Path(order["events"]), Moment(**moment) if moment else None, sys.modules["keras"])
    sys.path[0] = str(Path(order["script"]).parent)
    if order["run"] is None:
        sys.argv[:] = [order["script"], *order["arguments"]]
        runpy.run_path(order["script"], run_name="__main__")
        return 0
    from fitguard.keras import bootstrap

    return bootstrap.main([order["run"], order["script"], *order["arguments"]])


def wait_for(pid: int, moment: dict | None) -> int:
    """Its exit code, negative for a signal; kill it where it is time."""
    is_timed = moment is not None and moment["kind"] == "time"
    ended = os.pidfd_open(pid)
    try:
        if not select.select([ended], [], [], moment["seconds"] if is_timed else _IN_TIME)[0]:
            os.kill(pid, signal.SIGKILL)
    finally:
        os.close(ended)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
    return code


def _redirect(log: str) -> None:
    """Nothing to read, and all that is written into a file."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    written = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(nothing, 0)
    os.dup2(written, 1)
    os.dup2(written, 2)
    os.close(nothing)
    os.close(written)


if __name__ == "__main__":
    sys.exit(main())
