"""FG705: a disk that is nearly full."""

import pytest

from fitguard.checks.framework.testing import run
from fitguard.schema.facts import Facts
from fitguard.schema.hardware import Host

GIB = 2**30


def judged(disk_free_bytes):
    return run("FG705", Facts(host=Host(disk_free_bytes=disk_free_bytes)))


def test_fires():
    (finding,) = judged(GIB).findings
    assert (finding.slug, finding.severity) == ("disk-low", "warning")
    assert finding.title.startswith("Only 1.0 GiB of disk space is left")
    assert finding.evidence[0].source == "disk of the current folder"
    assert finding.fix.commands[0] == "df -h ."


@pytest.mark.parametrize(("free", "fires"), [(0, True), (2 * GIB - 1, True), (2 * GIB, False)])
def test_boundary(free, fires):
    assert bool(judged(free).findings) is fires


def test_skips():
    assert judged(None).skipped[0].reason == "how much of the disk is free is not known"
