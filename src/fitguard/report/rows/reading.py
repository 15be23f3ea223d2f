"""How much of the data was read, in one sentence."""

from fitguard.schema.data import DataReport, Failure, Source, Split
from fitguard.words import count, percent, short

TITLES: dict[Split, str] = {"training": "Training data", "validation": "Validation data"}
GIVEN_BACK: dict[Split, str] = {"training": "x", "validation": "validation_data"}
LONGEST_NAME, LONGEST_ERROR = 60, 200


def source_of(report: DataReport, split: Split) -> Source | None:
    """Where the samples of this split come from."""
    return next((source for source in report.facts.sources if source.split == split), None)


def origin(source: Source) -> str:
    """`tf.data.Dataset, batches of 32`; empty for arrays, as each field names its own."""
    if source.kind == "arrays":
        return ""
    batches = f", batches of {source.batch_size:,}" if source.batch_size and source.batched else ""
    return f"{short(source.container, LONGEST_NAME)}{batches}"


def reading(source: Source, report: DataReport) -> str:
    """`all of 60,000 samples`, or how much of how much, and what `fit` must then be given."""
    told = f"nothing: {source.unread}" if source.unread else _amount(source, report)
    if source.failure:
        told += f"; it failed at batch {_where(source.failure)}"
    if source.malformed:
        told += f"; fit does not accept batch {_where(source.malformed)}"
    if source.handed_back:
        told += (
            f"; it can be read only once: pass the `{GIVEN_BACK[source.split]}` of this report to "
            "fit, which starts with the same batches"
        )
    return told


def is_doubtful(source: Source) -> bool:
    """Whether nothing was read, or the reading ended with an error."""
    return bool(source.unread or source.failure or source.malformed)


def _where(failure: Failure) -> str:
    return f"{failure.batch:,}: {short(failure.error, LONGEST_ERROR)}"


def _amount(source: Source, report: DataReport) -> str:
    if source.complete:
        return f"all of {_format_seen(source)}"
    if not source.samples_seen:
        return "nothing"
    # A generator may never end, and what is read of it must be kept.
    last = source.endless or source.handed_back or is_doubtful(source)
    stopped = report.budget_seconds is not None and not last
    more = "; --full (in Python: full=True) reads all" if stopped else ""
    return f"{_part(source)}, in {report.seconds:.1f} s{more}"


def _part(source: Source) -> str:
    """Arrays, and batches that have a number, are read here and there; a stream from its start."""
    if source.kind == "arrays" and source.samples:
        share = percent(source.samples_seen, source.samples)
        return f"{share} of {count(source.samples, 'sample')}, spread evenly"
    if source.kind == "pydataset" and source.batches:
        return f"{_format_seen(source)}, spread evenly"
    return f"the first {_format_seen(source)}{_of_what(source)}"


def _format_seen(source: Source) -> str:
    """`12 of 1,875 batches (384 samples)`; samples alone where batches are made by `fit`."""
    if source.kind == "arrays" or source.batched is False or not source.batches_seen:
        return _out_of(source, source.samples_seen, source.samples, "sample", "samples")
    batches = _out_of(source, source.batches_seen, source.batches, "batch", "batches")
    return f"{batches} ({count(source.samples_seen, 'sample')})"


def _out_of(source: Source, seen: int, known: int | None, noun: str, nouns: str) -> str:
    if source.complete or known is None:
        return count(seen, noun, nouns)
    return f"{seen:,} of {count(known, noun, nouns)}"


def _of_what(source: Source) -> str:
    if source.endless:
        return " of an endless stream"
    return "" if source.samples or source.batches else " of a stream of unknown length"
