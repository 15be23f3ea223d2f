"""FG701: little host memory."""

import pytest

from fitguard.checks.framework.testing import run
from fitguard.schema.facts import Facts
from fitguard.schema.hardware import Host

GIB = 2**30


def judged(**fields):
    return run("FG701", Facts(host=Host(**fields)))


@pytest.mark.parametrize(
    ("available_bytes", "severity"),
    [(GIB - 1, "error"), (GIB, "warning"), (4 * GIB - 1, "warning"), (4 * GIB, None)],
)
def test_boundaries(available_bytes, severity):
    findings = judged(available_bytes=available_bytes).findings
    assert [item.severity for item in findings] == ([severity] if severity else [])


def test_machine():
    (finding,) = judged(ram_bytes=8 * GIB, available_bytes=2 * GIB, swap_bytes=2 * GIB).findings
    assert finding.slug == "host-memory-low"
    assert finding.title == "Only 2.0 GiB of host memory is left"
    assert finding.evidence[0].text == "2.0 GiB of 8.0 GiB available"
    assert finding.evidence[0].source == "/proc/meminfo"
    assert "2.0 GiB of swap" in finding.fix.text


def test_limit_of_the_container():
    (finding,) = judged(
        available_bytes=64 * GIB, cgroup_limit_bytes=4 * GIB, cgroup_used_bytes=GIB
    ).findings
    assert finding.title == "Only 3.0 GiB of host memory is left under the limit of 4.0 GiB"
    assert finding.evidence[1].source == "cgroup"
    assert "--memory" in finding.fix.text
    assert finding.fix.commands == ()


def test_wide_limit():
    wide = {"cgroup_limit_bytes": 32 * GIB, "cgroup_used_bytes": GIB}
    assert judged(available_bytes=64 * GIB, **wide).passed == ("FG701",)


def test_skips():
    assert judged().skipped[0].reason == "how much host memory is free is not known"
    assert run("FG701", Facts()).skipped[0].reason == "the host's memory is not known"
