"""How much memory of its own the process gains."""

import ctypes
import gc
import re
import time
from pathlib import Path

MIB = 2**20


def own_bytes() -> int:
    """What the process holds now; files that are mapped and memory that is free do not count."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    found = re.search(r"RssAnon:\s+(\d+) kB", Path("/proc/self/status").read_text("ascii"))
    assert found is not None
    return int(found.group(1)) * 1024


def settled_bytes() -> int:
    """The same, when threads have given back what earlier tests had used."""
    last = own_bytes()
    for _ in range(20):
        time.sleep(0.2)
        now = own_bytes()
        if abs(now - last) < MIB:
            return now
        last = now
    return last
