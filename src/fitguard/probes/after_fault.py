"""A few quick probes of each GPU, in a process of its own: a guarded run asks for them.

    python clean_start.py fitguard.probes.after_fault < request > lines

The process that asks must stay small, and must not hang where a GPU does. What was told before its
end counts.
"""

import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import msgspec

from fitguard.probes.devices import ALL, Device, list_devices
from fitguard.probes.fault_request import AT_ONCE, Line, Request
from fitguard.probes.probing import run_probes

_NAMES = ("matmul-float32", "matmul-float16", "convolution", "copies")
"""Beside those without which nothing is tried: a training that waits is to go on soon."""


def main() -> None:
    """Read a request, write lines."""
    request = msgspec.json.decode(sys.stdin.buffer.read(), type=Request)
    devices = list_devices(ALL, request.environment)
    writing = threading.Lock()

    def write(line: Line) -> None:
        with writing:
            sys.stdout.buffer.write(msgspec.json.encode(line) + b"\n")
            sys.stdout.buffer.flush()

    def probe(device: Device) -> None:
        _probe_one(device, request, write)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(probe, devices))


def _probe_one(device: Device, request: Request, write: Callable[[Line], None]) -> None:
    def tell(what: str, *_: float) -> None:
        write(Line(device=device.label, running=what.partition(" on ")[0]))

    report = run_probes(
        only=_NAMES,
        python=request.python,
        environment=request.environment,
        devices=(device,),
        tell=tell,
        ahead=1,
    )
    write(Line(device=device.label, report=report))


if __name__ == "__main__":
    main()
