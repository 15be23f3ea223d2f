"""A real bench in the process of the test: TensorFlow, on the CPU."""

import contextlib
import faulthandler
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fitguard.probes.target.bench import Bench


@contextlib.contextmanager
def open_bench(
    folder: Path, fault: str = "", kind: type[Bench] = Bench, **options: Any
) -> Iterator[Bench]:
    """Begun, with a fault where one is named."""
    answers = str(folder / "answers.jsonl")
    fault = f"*:{fault}" if fault else ""
    bench = kind({"probe": "any", "answers": answers, "fault": fault, **options})
    bench.start()
    bench.begin(600)
    try:
        yield bench
    finally:
        faulthandler.cancel_dump_traceback_later()


def read_answers(folder: Path) -> list[dict]:
    """What the probe told."""
    lines = (folder / "answers.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]
