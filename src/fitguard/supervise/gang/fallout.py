"""Whether a training ended only because another worker did."""

import re

from fitguard.schema.journal import Failed

_FALLOUT = re.compile(
    rb"Collective ops is aborted by"
    rb"|stopped sending heartbeats"
    rb"|CoordinationService/Heartbeat"
    rb"|coordination service.{0,80}(?:unhealthy|disconnect|shut ?down|fatal error)"
    rb"|(?:another|other) task.{0,80}(?:reported error|is in error|disconnect)"
    rb"|task (?:/job:worker/replica:\d+/task:\d+|\d+).{0,120}(?:unhealthy|heartbeat)"
    rb"|Collective has timed out"
    rb"|recvmsg:Connection reset by peer"
    rb"|Shutdown barrier.{0,120}(?:failed|timed out|error)"
    rb"|failed to connect to all addresses",
    re.IGNORECASE | re.DOTALL,
)
_LAST_BYTES = 16_384
"""Of the output: what a process said long before its end is not why it ended."""


def is_fallout(failed: Failed | None, output: bytes) -> bool:
    """Whether what a training said at its end is what TensorFlow says when a peer is gone.

    Args:
        failed: What it wrote of its own end, which counts most.
        output: The end of what it wrote.
    """
    said = failed.error.encode() if failed is not None and failed.error else output[-_LAST_BYTES:]
    return _FALLOUT.search(said) is not None
