"""How a batch is trained that does not fit."""

import msgspec


class Way(msgspec.Struct, frozen=True, kw_only=True):
    """A step in less memory, with the same result.

    Args:
        rows: Of a micro-batch; None where the batch stays whole.
        share: Of the memory of such a step, in which it is recomputed; None where it is not.
        times: How long a step takes, beside the whole batch as it is; None where that is unknown.
    """

    rows: int | None = None
    share: float | None = None
    times: float | None = None
