"""How much was read, in a sentence."""

from typing import Any

import pytest
from report.data_reports import HEALTHY_DATA

from fitguard.report.rows.reading import is_doubtful, origin, reading
from fitguard.schema.data import Failure, Source

MORE = "; --full (in Python: full=True) reads all"


def told(kind: Any, **facts: Any) -> str:
    """The sentence, in a report that took 0.1 s of its 2 s."""
    return reading(Source(kind=kind, container="c", **facts), HEALTHY_DATA)


@pytest.mark.parametrize(
    ("kind", "facts", "expected"),
    [
        ("arrays", {"samples": 1, "samples_seen": 1, "complete": True}, "all of 1 sample"),
        ("arrays", {"samples": 1_200_000, "samples_seen": 372_000},
         "31 % of 1,200,000 samples, spread evenly, in 0.1 s" + MORE),
        ("arrays", {"samples": 9_000_000, "samples_seen": 100},
         "less than 0.1 % of 9,000,000 samples, spread evenly, in 0.1 s" + MORE),
        ("dataset", {"batched": True, "samples_seen": 60_000, "batches_seen": 1875,
                     "complete": True}, "all of 1,875 batches (60,000 samples)"),
        ("dataset", {"batched": True, "samples_seen": 32, "batches_seen": 1, "batches": 1875},
         "the first 1 of 1,875 batches (32 samples), in 0.1 s" + MORE),
        ("dataset", {"batched": False, "samples_seen": 500, "batches_seen": 500, "samples": 9000},
         "the first 500 of 9,000 samples, in 0.1 s" + MORE),
        ("dataset", {"batched": False, "samples_seen": 500, "batches_seen": 500, "complete": True},
         "all of 500 samples"),
        ("pydataset", {"batched": True, "samples_seen": 384, "batches_seen": 12, "batches": 1875},
         "12 of 1,875 batches (384 samples), spread evenly, in 0.1 s" + MORE),
        ("generator", {"batched": True, "samples_seen": 384, "batches_seen": 12},
         "the first 12 batches (384 samples) of a stream of unknown length, in 0.1 s" + MORE),
        ("generator", {"batched": True, "samples_seen": 384, "batches_seen": 12, "endless": True},
         "the first 12 batches (384 samples) of an endless stream, in 0.1 s"),
        ("dataset", {"unread": "it holds an iterator"}, "nothing: it holds an iterator"),
        ("generator", {"batched": True, "samples_seen": 32, "batches_seen": 1,
                       "failure": Failure(1, "OSError: no\nfile")},
         "the first 1 batch (32 samples) of a stream of unknown length, in 0.1 s; it failed at "
         "batch 1: OSError: no file"),
        ("generator", {"malformed": Failure(0, "Received None")},
         "nothing; fit does not accept batch 0: Received None"),
    ],
)  # fmt: skip
def test_sentences(kind: str, facts: dict[str, Any], expected: str) -> None:
    assert told(kind, **facts) == expected


def test_reading_all_is_not_proposed_for_what_can_be_read_only_once() -> None:
    assert MORE not in told("generator", samples_seen=1, handed_back=True)


def test_validation_data_is_handed_back_under_its_own_name() -> None:
    text = told("generator", split="validation", samples_seen=1, handed_back=True)
    assert text.endswith(
        "pass the `validation_data` of this report to fit, which starts with the same batches"
    )


def test_what_stands_out() -> None:
    fine = Source(kind="generator", container="c", samples_seen=1)
    assert not is_doubtful(fine)
    assert is_doubtful(Source(kind="generator", container="c", unread="why"))
    assert is_doubtful(Source(kind="generator", container="c", failure=Failure(1, "e")))


def test_arrays_name_their_containers_themselves() -> None:
    assert origin(Source(kind="arrays", container="dict", batch_size=32)) == ""
    assert origin(Source(kind="dataset", container="tf.data.Dataset")) == "tf.data.Dataset"
