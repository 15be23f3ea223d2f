"""Whether the log of a whole run ends in the middle of the training."""

from fitguard.schema.crash import Ending, Story

# A text with fewer lines is an excerpt, which says nothing of the end.
_WHOLE_LOG_LINES = 12
_TRAINS = ("xla-works", "epoch-line")


def breaks_off(story: Story) -> bool:
    """The training began, and nothing tells that it went on to its end."""
    if story.ending != Ending() or story.has("training-finished", "goes-on-told"):
        return False
    began = story.has("device-created") and story.has(*_TRAINS)
    if not began or story.lines < _WHOLE_LOG_LINES or len(story.sources) != 1:
        return False
    return _in_an_epoch(story) or _silent_after_start(story)


def _in_an_epoch(story: Story) -> bool:
    counted = [line for line in story.all("epoch-line") if "epochs" in line.values]
    return bool(counted) and int(counted[-1].values["epoch"]) < int(counted[-1].values["epochs"])


def _silent_after_start(story: Story) -> bool:
    """The last line of the log is one that TensorFlow writes before the first result."""
    last = story.signals[-1]
    return last.role in ("healthy", "noise") and last.line == story.lines
