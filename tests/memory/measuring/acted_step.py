"""A child process that answers like a step of a known size, without TensorFlow.

    python -m acted_step REQUEST.json

The reference of the script says how it acts: `needs 100` MiB, `crash`, `sleep`, `raise`, `no gpu`.
"""

import os
import signal
import sys
import time
from pathlib import Path

import msgspec

from fitguard.memory.measuring.request import Answer, Request

MIB = 2**20


def _act(request):
    part, _, number = request.step.reference.partition(" ")
    if part == "crash":
        sys.stderr.write("the last words")
        sys.stderr.flush()
        os.kill(os.getpid(), signal.SIGABRT)
    if part == "sleep":
        time.sleep(60)
    if part == "raise":
        return Answer(ended="error", gpu="NVIDIA T4", error="ValueError: labels out of range")
    if part == "no":
        return Answer(ended="no gpu")
    if request.limit_mib is not None and request.limit_mib < int(number):
        return Answer(ended="out of memory", gpu="NVIDIA T4")
    return Answer(ended="ran", gpu="NVIDIA T4", peak_bytes=2 * int(number) * MIB)


if __name__ == "__main__":
    asked = msgspec.json.decode(Path(sys.argv[1]).read_bytes(), type=Request)
    Path(asked.answer).write_bytes(msgspec.json.encode(_act(asked)))
