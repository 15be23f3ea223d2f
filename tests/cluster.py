"""Workers of one training, as real processes on loopback: each has its `TF_CONFIG`.

What a test leaves running is ended by `conftest.py`.
"""

import json
import os
import socket
import subprocess
import sys
from contextlib import ExitStack

import programs
from guarded.harness import SCRIPTS, Ended, GuardedRun, environment_in


def make_tf_configs(count):
    """`TF_CONFIG` of each worker, with ports that are free now."""
    with ExitStack() as held:
        # All at once: a port that is given back may be the next one.
        sockets = [held.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        addresses = [f"127.0.0.1:{one.getsockname()[1]}" for one in sockets]
    return [
        json.dumps({"cluster": {"worker": addresses}, "task": {"type": "worker", "index": number}})
        for number in range(count)
    ]


class PlainWorker:
    """One of them, without fitguard.

    Args:
        folder: For its result and its output.
        script: Of the folder `guarded/scripts`; it gets the path of its result, and the arguments.
        tf_config: Who it is, and who the others are.
        environment: More variables.

    Attributes:
        out: What the script saves.
    """

    def __init__(self, folder, script, *arguments, tf_config, environment=None):
        folder.mkdir(parents=True, exist_ok=True)
        self.out = folder / "plain.npz"
        self._texts = folder / "output.txt"
        with self._texts.open("wb") as texts:
            self._process = programs.start(
                [sys.executable, str(SCRIPTS / script), str(self.out), *map(str, arguments)],
                stdin=subprocess.DEVNULL,
                stdout=texts,
                stderr=subprocess.STDOUT,
                cwd=folder,
                env=environment_in(folder, TF_CONFIG=tf_config, **(environment or {})),
            )

    @property
    def text(self):
        """All that it has written so far."""
        return self._texts.read_text(errors="replace")

    def signal(self, number):
        os.kill(self._process.pid, number)

    def wait(self, longest_seconds=programs.LONGEST_SECONDS):
        """Until it has ended."""
        return Ended(self._process.wait(longest_seconds), self.text)


def start_plain(folder, script, *arguments, count=2, environment=None):
    """All workers of a training, without fitguard."""
    return [
        PlainWorker(
            folder / f"worker-{number}",
            script,
            *arguments,
            tf_config=tf_config,
            environment=environment,
        )
        for number, tf_config in enumerate(make_tf_configs(count))
    ]


def start_guarded(folder, script, *arguments, count=2, options=(), environment=None):
    """All workers of a training, each under a `fitguard run` of its own."""
    return [
        GuardedRun(
            folder / f"worker-{number}",
            script,
            *arguments,
            options=options,
            environment={"TF_CONFIG": tf_config, **(environment or {})},
        ).start()
        for number, tf_config in enumerate(make_tf_configs(count))
    ]


def wait_for_all(workers):
    """Their results; each must have ended well."""
    ended = [worker.wait() for worker in workers]
    assert [one.code for one in ended] == [0] * len(workers), ended
    return [worker.out for worker in workers]
