"""The head of a gang of plain workers, in a process of its own.

python plain_head.py SCRIPT
"""

import json
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import plain_parent

from fitguard.cli.run import say
from fitguard.supervise.gang.head import Head

WORKERS = 2


def words(worker: int, again: bool) -> list[str]:
    place = {"name": "night", "worker": worker, "workers": WORKERS, "headed": True}
    options = {"name": f"night-worker-{worker}", "gang": place, "lease_seconds": 2.0}
    if again:
        options["resume"] = "auto"
    return [sys.executable, plain_parent.__file__, json.dumps(options), sys.argv[1]]


if __name__ == "__main__":
    environments = [dict(os.environ)] * WORKERS
    sys.exit(Head(words, environments, preempt_signals=(), left=75, say=say).run())
