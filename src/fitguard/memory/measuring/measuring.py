"""One child with room, then a few under limits: what a step takes, and the least it runs in."""

import math

from fitguard.memory.measuring.bisection import Search
from fitguard.memory.measuring.request import Answer, Script
from fitguard.memory.measuring.sending import COMMAND
from fitguard.memory.measuring.trial import Silent, TooSlow, Trials
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.plan import Measured, Range

_MIB = 2**20
_LONGEST_ERROR = 2000
_ABOVE_PEAK = 1.15
"""Holes between blocks take less than this share of the peak, as a rule."""


def measure(trials: Trials, estimated: Range, usable_bytes: int, taken: str) -> Measured:
    """What the step needs.

    Args:
        estimated: Where to look for the least memory.
        usable_bytes: What TensorFlow's allocator can have of the GPU now.
        taken: The date.

    Raises:
        UsageError: where the step does not run, for another reason than memory.
    """
    room = _with_room(trials)
    if room.ended != "ran":
        return Measured(gpu=room.gpu, fails_bytes=usable_bytes, taken=taken)

    def runs_in(limit_mib: int) -> bool | None:
        try:
            return trials.run(limit_mib).ended == "ran"
        except TooSlow:
            return None
        except Silent:
            # It ran with room: what makes it crash under a limit is the limit.
            return False

    found = _search(estimated, room.peak_bytes, usable_bytes).run(runs_in)
    return Measured(
        gpu=room.gpu,
        runs_bytes=None if found.runs is None else found.runs * _MIB,
        fails_bytes=None if found.fails is None else found.fails * _MIB,
        peak_bytes=room.peak_bytes,
        taken=taken,
    )


def _search(estimated: Range, peak_bytes: int | None, usable_bytes: int) -> Search:
    """Between the ends of the estimate, and not far above what it took with room."""
    peak = math.inf if peak_bytes is None else peak_bytes
    return Search(
        low=estimated.low // _MIB,
        likely=math.ceil(min(estimated.likely, peak) / _MIB),
        high=math.ceil(min(estimated.high, _ABOVE_PEAK * peak) / _MIB),
        ceiling=usable_bytes // _MIB,
    )


def _with_room(trials: Trials) -> Answer:
    """Whether the step runs at all: with all the memory that is free."""
    try:
        answer = trials.run(None)
    except Silent as ending:
        raise UsageError(
            f"The step was run on the GPU, in a child process, and {ending}\n"
            "Expected a step that trains. `fitguard explain` reads such a log; `fitguard doctor` "
            "judges the machine"
        ) from ending
    if answer.ended == "error":
        instead = "" if isinstance(trials.step, Script) else f", or {COMMAND}"
        raise UsageError(
            "The step was tried on the GPU, in a child process with random data, which raised "
            f"{answer.error[-_LONGEST_ERROR:]}\nExpected a model that trains there{instead}"
        )
    return answer
