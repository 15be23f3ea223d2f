"""Where the time of a few steps went, by a trace of TensorFlow's profiler.

Each moment belongs to the first of these that went on in it: a kernel of the GPU (on a CPU, an
operation of the step), a copy to or from the GPU, compilation, a wait for the next batch. What is
left is the host: Python, callbacks, the runtime of TensorFlow.
"""

import re
from collections.abc import Iterable

from fitguard.contract.xplane import TraceEvent
from fitguard.schema.run import TimeShare
from fitguard.words import count, duration

_GPU = "/device:GPU"
_STREAM = "Stream"
_COPY = re.compile(r"mem(?:cpy|set)", re.IGNORECASE)
_COMPILES = re.compile(r"Compile|Compilation|LLVM|ptxas|[Aa]utotun")
_WAITS = re.compile(r"IteratorGetNext|^Iterator::Root$|^Iterator::Prefetch$")
_OPERATION = re.compile(r"[\w./-]+:[A-Za-z_]\w*")
_DATA_THREADS = "tf_data"
_WORDS: dict[TimeShare, str] = {
    "kernels": "computing",
    "copies": "copying to or from the GPU",
    "compilation": "compiling",
    "input": "waiting for data",
    "host": "in Python and the runtime",
}
_LEAST_SHARE = 0.005

Interval = tuple[float, float]


def find_shares(events: Iterable[TraceEvent]) -> tuple[float, dict[TimeShare, float]]:
    """Seconds that the trace covers, and the share of each kind; nothing for an empty trace."""
    known = list(events)
    if not known:
        return 0.0, {}
    has_gpu = any(event.plane.startswith(_GPU) for event in known)
    found: dict[TimeShare, list[Interval]] = {}
    for event in known:
        kind = _classify(event, has_gpu=has_gpu)
        if kind is not None:
            found.setdefault(kind, []).append((event.begin, event.end))
    begin, end = min(event.begin for event in known), max(event.end for event in known)
    whole = max(end - begin, 1.0)
    shares: dict[TimeShare, float] = {}
    taken: list[Interval] = []
    for kind in _WORDS:
        joined = join_intervals([*taken, *found.get(kind, ())])
        shares[kind] = (_measure(joined) - _measure(taken)) / whole
        taken = joined
    shares["host"] = 1.0 - _measure(taken) / whole
    return whole / 1e9, shares


def describe_shares(steps: int, seconds: float, shares: dict[TimeShare, float]) -> str:
    """`5 steps took 243 ms: 95 % waiting for data, 4 % computing, 1 % in Python`."""
    largest = sorted(shares.items(), key=lambda item: -item[1])
    parts = [f"{share:.0%} {_WORDS[kind]}" for kind, share in largest if share >= _LEAST_SHARE]
    took = duration(seconds) if seconds >= 1 else f"{1000 * seconds:.0f} ms"
    return f"{count(steps, 'step')} took {took}: {', '.join(parts)}"


def join_intervals(intervals: Iterable[Interval]) -> list[Interval]:
    """The same time, in intervals that do not meet."""
    joined: list[Interval] = []
    for begin, end in sorted(intervals):
        if joined and begin <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((begin, end))
    return joined


def _measure(joined: Iterable[Interval]) -> float:
    return sum(end - begin for begin, end in joined)


def _classify(event: TraceEvent, *, has_gpu: bool) -> TimeShare | None:
    if event.plane.startswith(_GPU):
        # Other lines of a GPU repeat its streams in other words.
        if not event.line.startswith(_STREAM):
            return None
        return "copies" if _COPY.match(event.name) else "kernels"
    if _WAITS.search(event.name):
        return "input"
    if _OPERATION.fullmatch(event.name):
        # Its name is the user's: it may say anything.
        return None if has_gpu or event.line.startswith(_DATA_THREADS) else "kernels"
    return "compilation" if _COMPILES.search(event.name) else None
