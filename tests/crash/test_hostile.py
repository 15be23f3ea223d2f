"""Logs that nobody would write: they are read in bounded time and memory, and nothing leaks out."""

import gzip
import io
import random
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
import zstandard
from crash.logs import OOM as OOM_LINE
from crash.logs import deep_traceback

from fitguard.crash.explanation import explain
from fitguard.crash.reader import Reading, read
from fitguard.crash.signals import Recogniser
from fitguard.knowledge import knowledge

RECOGNISER = Recogniser(knowledge().signatures)
ANCHORS = [anchor.encode() for anchor in RECOGNISER.anchors]
OOM = OOM_LINE.encode()
MIB = 1 << 20


class Repeated(io.RawIOBase):
    """A piece over and over, without a copy of it all in memory."""

    def __init__(self, piece: bytes, size: int) -> None:
        self._piece = piece * (MIB // len(piece) + 1)
        self._period = len(piece)
        self._size, self._place = size, 0

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        start = self._place % self._period
        data = self._piece[start : start + min(len(buffer), self._size - self._place)]
        buffer[: len(data)] = data
        self._place += len(data)
        return len(data)


PIECES = {
    "one line": b"x",
    "one line of hits": OOM + b" ",
    "one line of all anchors": b" ".join(ANCHORS) + b" ",
    "lines of all anchors": b"\n".join(ANCHORS) + b"\n",
    "carriage returns": b"\r",
    "progress bars": b"\r 12/100 [===>.....] - ETA: 3s - loss: 0.1",
    "overwritten hits": b"\r" + OOM,
    "line ends": b"\n",
    "zeros": b"\0",
    "escapes": b"\x1b[",
    "titles": b"\x1b]0;",
    "colours": b"\x1b[31m[0m",
    "quotes": b'{"log":"' + b"\\" * 99,
    "brackets": b"[{",
    "spaces": b" ",
    "html": b"<script>alert(1)</script><!--",
    "invalid UTF-8": b"\xc3(\xa0\xa1\xe2\x28\xa1\xf0\x90",
    "bidi": "\u202e\u2066".encode(),
    "random": random.Random(1).randbytes(MIB),
}


def check(reading: Reading) -> None:
    """Nothing but text, and not too much of it."""
    assert all(line.text.isprintable() and line.text for line in reading.lines)
    assert all((line.worker or "").isprintable() for line in reading.lines)
    assert max((len(line.text) for line in reading.lines), default=0) <= 8192
    assert sum(len(line.text) for line in reading.lines) < 25e6


@pytest.mark.parametrize("name", PIECES)
@pytest.mark.parametrize("ending", [b"", b"\n"])
def test_endless_repetition(name: str, ending: bytes) -> None:
    piece = PIECES[name] * max(1, 20_000 // len(PIECES[name])) + ending
    reading = read(Repeated(piece, 3 * MIB // 2), RECOGNISER.engine)
    check(reading)
    explain("\n".join(line.text for line in reading.lines[:20]) + "\n")


def test_deep_recursion() -> None:
    log = deep_traceback(100_000)
    reading = read(log, RECOGNISER.engine)
    check(reading)
    assert "RecursionError" in reading.lines[-1].text
    assert len(reading.lines) < 1000
    explain(log)


def test_a_frame_in_a_frame_in_a_frame() -> None:
    check(read(b"\n".join(b" " * depth + b"in f" for depth in range(3000)), RECOGNISER.engine))


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress], ids=["gzip", "zstd"])
def test_a_small_bomb(pack: Callable[[bytes], bytes]) -> None:
    reading = read(pack(bytes(64 * MIB)) + pack(OOM), RECOGNISER.engine)
    check(reading)
    assert reading.line_count == 1
    assert OOM.decode() in reading.lines[-1].text


def test_a_truncated_gzip_tells_what_it_can(tmp_path: Path) -> None:
    file = tmp_path / "crash.log.gz"
    file.write_bytes(gzip.compress(OOM + b"\n" + random.Random(2).randbytes(MIB))[: MIB // 2])
    diagnosis = explain(file)
    assert diagnosis.primary == "gpu-oom"
    assert diagnosis.notes == (f"{file}: the gzip stream ends early",)


class Use(NamedTuple):
    """What a process needed; seconds of the processor, as others may be busy on the machine."""

    seconds: float
    peak_bytes: int


def run_explain(file: Path) -> Use:
    """Explain a file in a process of its own."""
    code = (
        "import sys, time; from pathlib import Path; "
        "from fitguard.crash.explanation import explain; explain(Path(sys.argv[1])); "
        "print(time.process_time(), Path('/proc/self/status').read_text())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(file)], capture_output=True, text=True, check=True
    )
    peak = re.search(r"VmHWM:\s*(\d+) kB", done.stdout)
    assert peak
    return Use(float(done.stdout.split()[0]), int(peak[1]) * 1024)


def write(file: Path, piece: bytes, size: int) -> Path:
    with file.open("wb") as opened:
        stream = Repeated(piece, size)
        buffer = memoryview(bytearray(MIB))
        while taken := stream.readinto(buffer):
            opened.write(buffer[:taken])
    return file


@pytest.mark.parametrize("name", ["one line", "carriage returns", "progress bars"])
def test_memory_does_not_grow_with_the_log(name: str, tmp_path: Path) -> None:
    small = run_explain(write(tmp_path / "small", PIECES[name], 4 * MIB))
    large = run_explain(write(tmp_path / "large", PIECES[name], 40 * MIB))
    assert large.peak_bytes < small.peak_bytes + 16 * MIB
    assert large.peak_bytes < 200 * MIB


@pytest.mark.soak
@pytest.mark.parametrize("name", PIECES)
def test_a_hundred_megabytes(name: str, tmp_path: Path) -> None:
    use = run_explain(write(tmp_path / "log", PIECES[name], 100_000_000))
    assert use.peak_bytes < 250 * MIB
    assert use.seconds < 120


@pytest.mark.soak
@pytest.mark.parametrize("pack", ["gzip", "zstd"])
def test_a_bomb_of_a_gigabyte(pack: str, tmp_path: Path) -> None:
    log = write(tmp_path / "log", b"\0", 1 << 30)
    subprocess.run([pack, "--quiet", "--keep", log], check=True)
    log.unlink()
    (packed,) = tmp_path.iterdir()
    use = run_explain(packed)
    assert use.peak_bytes < 200 * MIB
    assert use.seconds < 60
