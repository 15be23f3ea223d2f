"""Functions whose graph was changed."""

import os
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).with_name("held_after_a_step.py")


def test_no_sum_stays_in_memory_after_a_large_step():
    done = subprocess.run(
        [sys.executable, str(SCRIPT)],
        env={**os.environ, "TF_CPU_ALLOCATOR_USE_BFC": "1", "TF_CPP_MIN_LOG_LEVEL": "3"},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    before, after = map(int, done.stdout.split())
    assert after == before == 64
