"""Kills the training of a guarded run with SIGKILL as soon as it has saved: `RUNS_FOLDER`.

For the demo: it stands for the OOM killer, a segfault, a power cut.
"""

import json
import os
import signal
import sys
import time
from pathlib import Path

_LONGEST_SECONDS = 120.0


def child_of(folder: Path) -> int:
    """The process that trains, as the newest run of the folder wrote it down."""
    journal = max(folder.glob("*/journal.jsonl"))
    events = map(json.loads, journal.read_text().splitlines())
    return [event["pid"] for event in events if event["event"] == "attempt-started"][-1]


def main(folder: Path) -> None:
    """Wait for the first snapshot, then kill."""
    until = time.monotonic() + _LONGEST_SECONDS
    while not any(folder.glob("*/snapshots/*.snapshot")):
        if time.monotonic() > until:
            sys.exit("No snapshot was written.")
        time.sleep(0.1)
    pid = child_of(folder)
    os.kill(pid, signal.SIGKILL)
    print(f"\n$ kill -9 {pid}", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
