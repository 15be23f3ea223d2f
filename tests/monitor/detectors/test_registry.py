"""Detectors are declared as checks are: with a code of their own and a whole page."""

import pytest

from fitguard.causes.framework.registry import all_causes
from fitguard.checks.framework.registry import all_checks
from fitguard.monitor.detectors.framework.registry import all_detectors, detect, detector
from fitguard.monitor.flight_record import FlightRecord

HEADINGS = ("What it means", "How it is judged", "How to fix it", "When this is wrong")


def test_codes_and_slugs_are_nobody_elses():
    codes, slugs = set(all_checks()), {check.slug for check in all_checks().values()}
    assert not codes & all_detectors().keys()
    assert not (slugs | all_causes().keys()) & {one.slug for one in all_detectors().values()}


@pytest.mark.parametrize("found", all_detectors().values(), ids=lambda found: found.code)
def test_every_page_is_whole(found):
    assert [heading for heading in HEADINGS if f"## {heading}" not in found.page] == []
    assert found.summary.endswith(".")
    assert not found.cause or found.cause in all_causes()


def test_an_empty_record_has_no_alerts():
    assert detect(FlightRecord()) == []


@pytest.mark.parametrize(("code", "expected"), [("FG410", "taken by"), ("FG601", "from FG400")])
def test_a_code_that_is_taken_or_strange(code, expected):
    with pytest.raises(ValueError, match=expected):
        detector(code, "a-slug")(lambda *_: None)
