"""Private names in the report on data."""

from typing import get_args

import msgspec
import pytest
from report.data_reports import PIPELINE_FINDINGS

from fitguard.report.privacy.redaction import redact
from fitguard.report.render import Format, render


@pytest.mark.parametrize("format", get_args(Format))
def test_paths_of_caches_and_errors_lose_the_home_folder(format: str) -> None:
    assert "/home/ann/cats" in repr(PIPELINE_FINDINGS)
    shown = render(redact(PIPELINE_FINDINGS, home="/home/ann", user="ann", host="dgx07"), format)
    assert "ann" not in shown.replace("annot", "")


def test_what_remains_says_which_file() -> None:
    report = redact(PIPELINE_FINDINGS, home="/home/ann", user="ann", host="dgx07")
    training, validation = report.facts.sources
    assert training.pipeline.stages[4].filename == "~/cats/train.cache"
    assert validation.failure.error.startswith("NotFoundError: ~/cats/val.tfrecord; No such")


@pytest.mark.parametrize("user", ["validation", "sample_weight", "functional", "dataset"])
def test_a_user_with_the_name_of_a_kind_breaks_nothing(user: str) -> None:
    report = redact(PIPELINE_FINDINGS, home="/home/x", user=user, host="")
    assert report.facts.model.kind == "functional"
    written = msgspec.json.encode(report)
    assert msgspec.json.decode(written, type=type(report)) == report
