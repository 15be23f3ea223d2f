"""Signals that parent and child of a guarded run have agreed on."""

import signal

STACKS_SIGNAL = signal.SIGRTMIN + 5
"""The training process answers it with what all its threads are doing, in `stacks.txt`."""
