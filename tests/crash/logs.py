"""For tests of the reader: an engine with few literals, and what it keeps."""

from fitguard.crash.engine import Engine, engine
from fitguard.crash.reader import Log, Reading, read

LITERALS = (b"OOM when allocating", b"Segmentation fault", b"ran out of memory", b"nan loss")
OOM = "ResourceExhaustedError: OOM when allocating tensor with shape[8192,8192]"
ENGINE: Engine = engine(LITERALS)


def reading(log: Log, name: str | None = None) -> Reading:
    return read(log, ENGINE, name)


def texts(log: Log) -> list[str]:
    return [line.text for line in reading(log).lines]


def numbered(log: Log) -> dict[int, str]:
    """The last text of each line that was kept."""
    return {line.number: line.text for line in reading(log).lines}


def training(lines: int) -> bytes:
    """So many lines of ordinary output, each with its number."""
    return b"".join(
        b"step %d loss 0.%04d lr 0.001 images/sec 312.4\n" % (number, number % 9999)
        for number in range(1, lines + 1)
    )


def deep_traceback(frames: int) -> bytes:
    frame = b'  File "deep.py", line 3, in again\n    again(n + 1)\n'
    return (
        b"Traceback (most recent call last):\n" + frame * frames +
        b"  [Previous line repeated 970 more times]\n"
        b"RecursionError: maximum recursion depth exceeded while calling a Python object\n"
    )  # fmt: skip
