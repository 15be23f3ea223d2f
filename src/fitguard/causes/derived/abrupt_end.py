"""How the run ended: by a signal, with an exit code, or it is not known to have failed."""

from fitguard.schema.crash import Signal, Story
from fitguard.schema.finding import Evidence

_ON_PURPOSE = ("SIGTERM", "SIGINT")


def find_end_signal(story: Story) -> tuple[str | None, Signal | Evidence | None]:
    """The signal that ended the process, and what tells of it: the first line that does."""
    for line in story.signals:
        if line.ended_by is not None and line.ended_by not in _ON_PURPOSE:
            return line.ended_by, line
    proof = next(iter(story.ending.evidence), None)
    return story.ending.signal, proof if story.ending.signal else None


def has_failed(story: Story) -> bool:
    """Whether the run surely did not end well."""
    code = story.ending.exit_code
    return bool(code) or find_end_signal(story)[0] is not None


def has_ended_well(story: Story) -> bool:
    """Whether the process is known to have ended without an error."""
    return story.ending.exit_code == 0 and story.ending.signal is None
