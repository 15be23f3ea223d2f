"""The page of a fleet: how to look at its runs."""

import msgspec
import pytest
from report.made_fleets import DONE_FLEET

from fitguard.report.formats.text import to_text
from fitguard.schema.fleet import FleetTraining

FAILED = FleetTraining(name="a", state="failed", why="Labels: 0 to 10.", run="a")


def show(storage):
    fleet = msgspec.structs.replace(DONE_FLEET, storage=storage, trainings=(FAILED,))
    return " ".join(to_text(fleet, columns=200).split())


def test_runs_in_a_folder_are_reported():
    text = show("/shared/runs")
    assert "fitguard report /shared/runs" in text
    assert "More: `fitguard report /shared/runs/a`" in text


@pytest.mark.parametrize("storage", ["s3://bucket/runs", "memory://runs"])
def test_runs_in_a_storage_are_fetched_first(storage):
    text = show(storage)
    assert f"fitguard report {storage}" not in text
    assert f"fitguard fleet fetch {storage} NAME" in text
    assert f"More: `fitguard fleet fetch {storage} a`, then `fitguard report a`" in text
