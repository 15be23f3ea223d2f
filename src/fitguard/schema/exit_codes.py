"""Exit codes, the same for every command."""

import enum
import signal

INTERRUPTED = 128 + signal.SIGINT
"""Of a program that Ctrl-C ended, as shells tell it."""


class ExitCode(enum.IntEnum):
    """What the shell is told."""

    FINE = 0
    FITGUARD_FAILED = 1
    WRONG_USAGE = 2
    FINDINGS = 3
    GATE_FAILED = 4
    UNREADABLE_INPUT = 5


class UsageError(Exception):
    """The call is wrong: the message says what was received and what was expected."""


class UnreadableInput(Exception):
    """A file that was given cannot be read: the message names it, and the place in it."""


class ClusterLost(Exception):
    """A Ray cluster that was reached is out of reach now: the message says what that means."""


class TrainingDied(RuntimeError):
    """A guarded training failed, and another attempt would not help: the message says why."""
