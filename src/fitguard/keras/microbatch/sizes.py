"""How large a micro-batch is tried next."""


def halved(rows: int, of: int) -> int | None:
    """The next smaller micro-batch, about half of `rows`; None where `rows` is 1 already.

    The batch of `of` rows is cut into twice as many pieces, of nearly equal size: a size that
    divides the batch evenly needs no second compilation for a rest. Such a size is taken where one
    lies near.

    Args:
        rows: Rows of the micro-batch that did not fit; `of` or more where the batch was whole.
        of: Rows of the whole batch.

    Example:
        >>> halved(2048, 2048), halved(1024, 2048), halved(10, 10), halved(1, 10)
        (1024, 512, 5, None)
    """
    if rows < 1 or of < 1:
        raise ValueError(f"Received: rows={rows}, of={of}. Expected: two positive numbers of rows.")
    rows = min(rows, of)
    if rows == 1:
        return None
    target = rows // 2
    even = next((size for size in range(target, (target * 3) // 4, -1) if of % size == 0), None)
    if even is not None:
        return even
    pieces = -(-of // target)
    return -(-of // pieces)
