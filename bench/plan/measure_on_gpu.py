"""Measures training steps on a GPU: `python measure_on_gpu.py ROWS.json OUT.jsonl --workers 8`.

ROWS.json is a list of objects with set, model, policy, optimizer, batch and jit_compile; where
`guess_mib` is given the bisection begins there. Needs TensorFlow, Keras and a GPU, nothing of
fitguard. Each run is a process of its own: first one with room, then some under a limit, three
steps each.
"""

import argparse
import importlib
import json
import os
import queue
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

MIB = 2**20
STEPS = 3
PRECISION = 0.015
MOST_TRIALS = 6
PATIENCE_SECONDS = 120

Row = dict[str, Any]


def run_steps(row: Row) -> None:
    """The child: three steps, under a limit where the row has one."""
    import tensorflow as tf

    gpu = tf.config.list_physical_devices("GPU")[0]
    if "limit_mib" in row:
        limit = tf.config.LogicalDeviceConfiguration(memory_limit=row["limit_mib"])
        tf.config.set_logical_device_configuration(gpu, [limit])
    else:
        tf.config.experimental.set_memory_growth(gpu, True)
    import keras
    from batches import optimizer_named, random_batch

    keras.config.set_dtype_policy(row["policy"])
    model = importlib.import_module(f"models_{row['set']}").BUILDERS[row["model"]]()
    model.compile(
        optimizer_named(row["optimizer"]),
        "sparse_categorical_crossentropy",
        jit_compile=row["jit_compile"],
    )
    x, y = random_batch(model, row["batch"])
    for _ in range(STEPS):
        model.train_on_batch(x, y)
    memory = tf.config.experimental.get_memory_info("GPU:0")
    print(
        "RESULT",
        json.dumps(
            {
                "params": model.count_params(),
                "peak_bytes": memory["peak"],
                "resident_bytes": memory["current"],
                "nvml_process_bytes": _shown_bytes(),
            }
        ),
    )


def _shown_bytes() -> int | None:
    """What nvidia-smi shows for this process."""
    query = ["nvidia-smi", "--query-compute-apps=pid,used_memory", "--format=csv,noheader,nounits"]
    listed = subprocess.run(query, capture_output=True, text=True, check=False).stdout
    rows = [line.split(",") for line in listed.splitlines()]
    return next((int(row[1]) * MIB for row in rows if row[0].strip() == str(os.getpid())), None)


def trial(row: Row) -> Row | str:
    """What the child told, or `oom`, `timeout`, `error`."""
    command = [sys.executable, __file__, "--child", json.dumps(row)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return "timeout"
    for line in done.stdout.splitlines():
        if line.startswith("RESULT "):
            found: Row = json.loads(line.removeprefix("RESULT "))
            return found
    return "oom" if "ResourceExhausted" in done.stderr or "OOM" in done.stderr else "error"


def measure(row: Row) -> Row:
    """The peak with room, and the bracket of the least memory."""
    ample = trial(row)
    if isinstance(ample, str):
        return {**row, "failed": ample}
    low = 0.35 * ample["peak_bytes"] / MIB
    high = 1.1 * ample["peak_bytes"] / MIB
    runs, fails = None, None
    limit = row.get("guess_mib", (low + high) / 2)
    for _ in range(MOST_TRIALS):
        outcome = trial({**row, "limit_mib": round(limit)})
        if outcome in ("timeout", "error"):  # says nothing on memory
            break
        if outcome == "oom":
            fails = limit
        else:
            runs = limit
        low, high = fails or low, runs or high
        if high - low <= PRECISION * high:
            break
        limit = (low + high) / 2
    bracket = {"min_ok_mib": runs and round(runs), "max_fail_mib": fails and round(fails)}
    return {**row, **ample, **bracket}


def main() -> None:
    """All rows, some at a time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="?", type=Path)
    parser.add_argument("output", nargs="?", type=Path)
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--child")
    given = parser.parse_args()
    if given.child:
        run_steps(json.loads(given.child))
        return
    todo: queue.Queue[Row] = queue.Queue()
    for row in json.loads(given.rows.read_text("utf-8")):
        todo.put(row)
    lock = threading.Lock()

    def work() -> None:
        while not todo.empty():
            row = todo.get()
            start = time.monotonic()
            found = measure(row)
            with lock, given.output.open("a", encoding="utf-8") as file:
                file.write(json.dumps(found) + "\n")
            print(row["model"], row["batch"], f"{time.monotonic() - start:.0f} s")

    workers = [threading.Thread(target=work) for _ in range(given.workers)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


if __name__ == "__main__":
    main()
