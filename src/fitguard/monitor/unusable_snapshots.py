"""Why a snapshot cannot be used: broken for good, not to be read now, or not by this fitguard."""


class UnusableSnapshot(Exception):
    """The message says which file, and what is wrong with it."""


class TornSnapshot(UnusableSnapshot):
    """It is incomplete, was changed, or is no snapshot: it will never be one."""


class UnreadableSnapshot(UnusableSnapshot):
    """The disk or the memory does not give it: later it may be read."""


class NewerSnapshot(UnusableSnapshot):
    """A newer fitguard wrote it, and can read it."""
