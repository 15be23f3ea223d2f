"""Record the logs of two real workers of which one fails: record_workers.py FOLDER [CASE …].

Two processes train together on loopback (MultiWorkerMirroredStrategy, tf_keras). After some steps
one of them is killed, raises, runs out of memory, is stopped, gets stuck, or leaves the order of
the other. What each of them writes is left in FOLDER/CASE/worker0.log and worker1.log, with paths
of this machine taken out. tests/crash/recordings/workers has what it wrote.
"""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import sysconfig
import time
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

STEPS, AT_STEP = 60, 6
LIMIT_SECONDS = 120


class Case(NamedTuple):
    """What happens to which worker."""

    worker: int
    fault: str
    environment: Mapping[str, str] = MappingProxyType({})


SMALL_POOL = {"TF_CPU_ALLOCATOR_USE_BFC": "1", "TF_CPU_BFC_MEM_LIMIT_IN_MB": "200"}
CASES = {
    "killed": Case(1, "SIGKILL"),
    "leader_killed": Case(0, "SIGKILL"),
    "raised": Case(1, "raise"),
    "leader_raised": Case(0, "raise"),
    "out_of_memory": Case(1, "allocate", SMALL_POOL),
    "stopped": Case(1, "SIGSTOP"),
    "leader_stopped": Case(0, "SIGSTOP"),
    "stuck": Case(1, "sleep", {"COLLECTIVE_SECONDS": "10"}),
    "out_of_order": Case(1, "other-collective"),
}


def train() -> None:
    """One worker."""
    import numpy as np
    import tensorflow as tf
    import tf_keras

    seconds = os.environ.get("COLLECTIVE_SECONDS")
    options = tf.distribute.experimental.CommunicationOptions(
        implementation=tf.distribute.experimental.CommunicationImplementation.RING,
        timeout_seconds=float(seconds) if seconds else None,
    )
    strategy = tf.distribute.MultiWorkerMirroredStrategy(communication_options=options)

    class Fault(tf_keras.callbacks.Callback):
        def on_train_batch_end(self, batch, logs=None):
            print(f"step {batch + 1} loss {logs['loss']:.4f}", flush=True)
            time.sleep(0.1)
            fault = os.environ.get("FAULT", "")
            if batch + 1 != AT_STEP or not fault:
                return
            if fault.startswith("SIG"):
                os.kill(os.getpid(), getattr(signal, fault))
            elif fault == "raise":
                raise ValueError("could not convert string to float: 'n/a'")
            elif fault == "allocate":
                tf.ones((10_000, 10_000))
            elif fault == "sleep":
                time.sleep(3600)
            else:
                strategy.reduce("SUM", tf.ones(3), axis=None)

    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(64, 12)).astype("float32"), rng.integers(0, 4, 64)
    data = tf.data.Dataset.from_tensor_slices((x, y)).repeat().batch(16)
    sharding = tf.data.Options()
    sharding.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.DATA
    with strategy.scope():
        model = tf_keras.Sequential([tf_keras.layers.Dense(8), tf_keras.layers.Dense(4)])
        loss = tf_keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        model.compile("sgd", loss)
    data = data.with_options(sharding)
    model.fit(data, steps_per_epoch=STEPS, verbose=0, callbacks=[Fault()])


def record(case: Case, folder: Path) -> list[int | None]:
    """Run both; how each ended, None for one that had to be ended."""
    folder.mkdir(parents=True, exist_ok=True)
    addresses = [f"127.0.0.1:{_free_port()}" for _ in range(2)]
    workers = []
    for index in range(2):
        task = {"cluster": {"worker": addresses}, "task": {"type": "worker", "index": index}}
        environment = {**os.environ, "TF_CONFIG": json.dumps(task), "CUDA_VISIBLE_DEVICES": "-1"}
        if index == case.worker:
            environment |= {"FAULT": case.fault}
        environment |= case.environment
        with (folder / f"worker{index}.log").open("wb") as log:
            command = [sys.executable, __file__]
            worker = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
        workers.append(worker)
    ends = _wait_for_all(workers, case.worker)
    for file in folder.glob("*.log"):
        file.write_text(_redact(file.read_text(errors="replace")))
    return ends


def _wait_for_all(workers: list[subprocess.Popen[bytes]], faulty: int) -> list[int | None]:
    """One that is stopped or stuck is ended when the others are gone."""
    limit = time.monotonic() + LIMIT_SECONDS
    others = [worker for index, worker in enumerate(workers) if index != faulty]
    while any(worker.poll() is None for worker in others) and time.monotonic() < limit:
        time.sleep(0.2)
    time.sleep(3)
    ends = [worker.poll() for worker in workers]
    for worker in workers:
        if worker.poll() is None:
            worker.kill()
            worker.wait()
    return ends


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _redact(text: str) -> str:
    """Python, installed packages and this script as they would be elsewhere."""
    text = text.replace(sysconfig.get_path("stdlib"), "/usr/lib/python3")
    text = re.sub(r'"[^"\n]*/site-packages/', '"/venv/lib/python3/site-packages/', text)
    text = text.replace(str(Path(__file__).resolve()), "train.py").replace(__file__, "train.py")
    return re.sub(rf"\b{re.escape(socket.gethostname())}\b", "node", text)


def main() -> None:
    """Record the cases that are named, by default all."""
    if "TF_CONFIG" in os.environ:
        train()
        return
    folder, *names = sys.argv[1:]
    for name in names or CASES:
        started = time.monotonic()
        ends = record(CASES[name], Path(folder) / name)
        print(f"{name}: ended with {ends} after {time.monotonic() - started:.0f} s", flush=True)


if __name__ == "__main__":
    main()
