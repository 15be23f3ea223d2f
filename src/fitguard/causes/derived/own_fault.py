"""Whether fitguard itself is what failed."""

from fitguard.schema.crash import Signal, Story

# Between the last call of a traceback and its error: the line of source, and the marks under it.
_MOST_LINES = 3


def own_fault(story: Story) -> Signal | None:
    """The line that tells it: fitguard's own words, or the end of the first traceback in it."""
    if told := story.first("fitguard-fault"):
        return told
    stop = next(iter(story.role("stop")), None)
    frames = story.all("fitguard-frame") if stop is not None else ()
    return next((frame for frame in frames if stop is not None and _ends_in(frame, stop)), None)


def _ends_in(frame: Signal, stop: Signal) -> bool:
    if frame.line is None or stop.line is None or frame.source != stop.source:
        return False
    return 0 < stop.line - frame.line <= _MOST_LINES
