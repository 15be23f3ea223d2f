"""The child processes of the benches: each row is planned, or run, in a process of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from plan.measurements import Row

FOLDER = Path(__file__).parent
PLAN_SECONDS = 900


@dataclass(frozen=True)
class Planned:
    """What fitguard says of a row; `failed` says why it says nothing."""

    row: Row
    answer: dict[str, Any]

    @property
    def failed(self) -> str:
        return str(self.answer.get("failed", ""))


def plan_rows(rows: Iterable[Row], jobs: int) -> Iterator[Planned]:
    """Plan rows, one process for all batch sizes of a step."""
    ordered = sorted(rows, key=lambda row: (row.step, row.batch))
    steps = [list(of_step) for _, of_step in groupby(ordered, key=lambda row: row.step)]
    with ThreadPoolExecutor(jobs) as pool:
        for done in pool.map(_plan_step, steps):
            yield from done


def _plan_step(rows: list[Row]) -> list[Planned]:
    batches = [str(row.batch) for row in rows]
    ended = _run_child("plan_child.py", rows[0], batches, PLAN_SECONDS)
    answers = [json.loads(line) for line in ended.stdout.splitlines() if line.startswith("{")]
    by_batch = {answer["batch"]: answer for answer in answers}
    silent = {"failed": f"exit code {ended.returncode}: {ended.stderr[-300:]}", "outputs": 0}
    return [Planned(row, by_batch.get(row.batch, silent)) for row in rows]


def cpu_step_peak(row: Row, most_seconds: int) -> int | None:
    """The allocator's peak over one step on the CPU; None where that takes too long or fails."""
    ended = _run_child("step_child.py", row, [str(row.batch)], most_seconds)
    return int(ended.stdout.split()[-1]) if ended.returncode == 0 else None


def _run_child(
    script: str, row: Row, arguments: list[str], most_seconds: int
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(FOLDER / script), json.dumps(row.step), *arguments]
    environment = {
        **os.environ,
        "CUDA_VISIBLE_DEVICES": "-1",
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "TF_CPU_ALLOCATOR_USE_BFC": "1" if script == "step_child.py" else "0",
    }
    try:
        return subprocess.run(
            command, capture_output=True, text=True, env=environment, timeout=most_seconds
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 124, "", f"over {most_seconds} s")
