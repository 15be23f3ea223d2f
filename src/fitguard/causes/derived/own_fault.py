"""Whether fitguard itself is what failed."""

from fitguard.schema.crash import Signal, Story

# Between the last call of a traceback and its error: the line of source, and the marks under it.
_MOST_LINES = 3
# What the user's own operations raise: Keras takes TensorFlow's calls out of the traceback, and the
# last one left is that of fitguard, which runs the step.
_OF_THE_GRAPH = "Graph execution error"


def own_fault(story: Story) -> Signal | None:
    """The line that tells it: fitguard's own words, or the end of the first traceback in it."""
    if told := story.first("fitguard-fault"):
        return told
    stop = next(iter(story.role("stop")), None)
    if stop is None or _OF_THE_GRAPH in stop.evidence.text:
        return None
    frames = story.all("fitguard-frame")
    return next((frame for frame in frames if _ends_in(frame, stop)), None)


def _ends_in(frame: Signal, stop: Signal) -> bool:
    if frame.line is None or stop.line is None or frame.source != stop.source:
        return False
    return 0 < stop.line - frame.line <= _MOST_LINES
