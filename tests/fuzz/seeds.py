"""Inputs that are right, or nearly: a fuzzer goes on from these."""

import gzip
import math
import struct
import tempfile
import zlib
from pathlib import Path

import msgspec

from fitguard.monitor.flight_record import Ring
from fitguard.monitor.flight_recorder import FlightRecorder
from fitguard.schema.facts import Facts
from fitguard.schema.journal import (
    AttemptEnded,
    AttemptStarted,
    Decided,
    Failed,
    FitBegan,
    Logged,
    MicroBatchChosen,
    Noted,
    Orders,
    RunEnded,
    RunStarted,
    SnapshotWritten,
)
from fitguard.schema.run import Place, Run

HOSTILE = "\x1b[2J\u202e<script>alert(1)</script><img src=x onerror=1>\r\x9b--><fuzz>"
_AT = Place(fit=1, epoch=2, step=3, total_steps=40)
_ORDERS = Orders(seed=7, micro_batches={"1": 4}, environment={"PYTHONPATH": "/x", HOSTILE: "1"})
_EVENTS = (
    RunStarted(time=1.0, id="20260101-000000-train-abcd", command=("train.py", HOSTILE), seed=7),
    AttemptStarted(time=2.0, attempt=1, pid=5, orders=_ORDERS),
    FitBegan(time=3.0, attempt=1, place=_AT, library=HOSTILE, model=HOSTILE, batch_size=32),
    Logged(time=4.0, attempt=1, place=_AT, logs={"loss": 0.5, HOSTILE: 1e300}),
    Noted(time=5.0, attempt=1, kind="inexact", text=HOSTILE),
    MicroBatchChosen(time=5.0, attempt=1, fit=1, rows=4, of=32, why=HOSTILE),
    SnapshotWritten(
        time=6.0, attempt=1, place=_AT, bytes=9, taking_seconds=0.1, writing_seconds=0.2
    ),
    Failed(time=7.0, attempt=1, kind="out-of-memory", place=_AT, error=HOSTILE, rows=4, of=32),
    AttemptEnded(
        time=8.0,
        attempt=1,
        outcome="crashed",
        signal="SIGSEGV",
        last=_AT,
        cause="gpu-oom",
        why=HOSTILE,
        evidence=(HOSTILE,),
    ),
    Decided(time=9.0, attempt=1, action="restart", cause="gpu-oom", text=HOSTILE),
    RunEnded(time=10.0, attempt=1, state="stopped", exit_code=1),
)
_JOURNAL = b"\n".join(map(msgspec.json.encode, _EVENTS)) + b"\n"


def _write_samples() -> bytes:
    columns = ("attempt", "host_bytes", "allocator_bytes", "gpu_process_bytes:0")
    rings = (Ring(0, 8), Ring(5, 8), Ring(120, 8))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "child.record")
        recorder = FlightRecorder(path, columns, rings)
        for number in range(40):
            recorder.add(float(number), number, dict.fromkeys(columns[1:], number << 30))
            recorder.add(number + 0.5, number, {"attempt": 1 + number // 20})
        recorder.close()
        return path.read_bytes()


_SAMPLES = _write_samples()
_ENDLESS = _SAMPLES.replace(struct.pack("<d", 39.0), struct.pack("<d", math.inf))
_HEADER = b'{"document":{"place":{}},"arrays":[["a","float32",[8,8],0,256,%d]]}'
_RUN = Run(
    id=HOSTILE, state="stopped", started=1.0, seconds=1e18, command=("x", HOSTILE), folder="/x"
)


def _snapshot(text: bytes) -> bytes:
    text += b" " * (-(32 + len(text)) % 64)
    start = struct.pack("<8sQQI", b"FGSNAP1\n", len(text), 288 + len(text), zlib.crc32(text))
    return start + struct.pack("<I", zlib.crc32(start)) + text + bytes(256)


_ARRAY = _HEADER % zlib.crc32(bytes(256))
_DEEP = b"[" * 3000
_LONG = b"9" * 5000

SEEDS: dict[str, list[bytes]] = {
    "journal": [_JOURNAL, *map(msgspec.json.encode, _EVENTS), b'{"event":"noted","x":' + _DEEP],
    "samples": [_SAMPLES, _ENDLESS, _SAMPLES[:-100], _SAMPLES[:200], b"FGREC1\n\0" + _DEEP],
    "orders": [msgspec.json.encode(_ORDERS), b'{"environment":{"LD_PRELOAD":"x"},"x":' + _DEEP],
    "deeds": [
        b'[1,"folder","/x",null]\n[2,"appended","/y",7]\n[2,"renamed","/z","/w"]\n' + _DEEP,
        b'[1,"appended","/y","' + _LONG + b'"]',
    ],
    "snapshot": [_snapshot(_ARRAY), _snapshot(_ARRAY)[:-100], b"FGSNAP1\n" + bytes(24)],
    "snapshot_header": [
        _ARRAY,
        b'{"document":' + _DEEP,
        b'{"document":{"a":' + _LONG + b'},"arrays":[]}',
        b'{"document":{},"arrays":[["a","float32",[-1,4611686018427387904],0,0,0]]}',
    ],
    "facts": [
        msgspec.json.encode(Facts()),
        b'{"tensorflow":{"version":"2.15"},"gpus":[{"name":"A100","used_bytes":1}]}',
        b'{"facts":{"python":{"version":"3.11"}},"findings":[]}',
        b'{"python":' + _DEEP,
        b'{"host":{"available_bytes":' + _LONG + b"}}",
    ],
    "configuration": [
        b'[tool.fitguard]\nselect = ["FG2"]\nfail-on = "warning"\n',
        b"[tool.fitguard]\nx = " + _DEEP,
        b"[tool.fitguard]\nselect = " + _LONG,
        b"[tool]\nfitguard = 1979-05-27T07:32:00Z\n",
        b"[tool.fitguard]\nselect = 1e400\n",
    ],
    "kernel_log": [
        b"[  12.345678] NVRM: Xid (PCI:0000:3b:00): 79, pid=1234, GPU has fallen off the bus.",
        b"[   1.0] Out of memory: Killed process 1 (python) total-vm:1kB, anon-rss:2kB",
        b"[" + _LONG + b".9] NVRM: Xid (PCI:0000:3b:00): " + _LONG + b", x",
    ],
    "redaction": [
        b"train.py -p hunter2 --token x https://a:b@c/d?X-Amz-Signature=1&sig=2 AWS_KEY=1",
        b"a:b@c://" + b"@:" * 400,
        b"serial number: 1 Bearer abcdefgh -----BEGIN PRIVATE KEY-----",
    ],
    "log": [
        HOSTILE.encode() + b"\nResourceExhaustedError: OOM when allocating tensor with shape[1,2]",
        b'Traceback (most recent call last):\n  File "x.py", line 3, in f\nValueError: <fuzz>\n',
        b"2026-01-01 W bfc_allocator.cc:497] Allocator (GPU_0_bfc) ran out of memory trying to "
        b"allocate 9.0GiB\nLimit:  " + _LONG + b"\nInUse: 5\n",
    ],
    "log_lines": [
        b"\x1b[31m2026-01-01 12:00:00 W x.cc:1] OOM when allocating\x1b[0m\r 1/2 [=>.]\r\n",
        b'{"log":"CUDA_ERROR_OUT_OF_MEMORY\\n","stream":"stderr"}\n' * 3,
        gzip.compress(b"Killed\n" * 50),
        "Killed\n".encode("utf-16"),
    ],
    "pages": [_JOURNAL, _SAMPLES, _JOURNAL + _SAMPLES],
    "run_document": [msgspec.json.encode(_RUN), b'{"x":' + _DEEP],
}
