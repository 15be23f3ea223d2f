"""Every probe is one file with its page."""

import pytest

from fitguard.probes.registry import LEVELS, Probe, all_probes, select_probes

PROBES = list(all_probes().values())


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe.name)
def test_its_file_says_what_it_must(probe: Probe) -> None:
    assert probe.summary.endswith(".")
    assert len(probe.summary) < 80
    assert "## What is done" in probe.page
    assert "## What a failure means" in probe.page
    assert 0 < probe.seconds < probe.limit_seconds
    assert probe.level in LEVELS


def test_gates_come_first_then_what_is_quick() -> None:
    assert [probe.gate for probe in PROBES if probe.gate] == [1, 2, 3]
    assert all(probe.gate for probe in PROBES[:3])
    levels = [LEVELS.index(probe.level) for probe in PROBES[3:]]
    assert levels == sorted(levels)


def test_the_named_ones_come_with_what_they_stand_on() -> None:
    names = [probe.name for probe in select_probes("quick", ("matmul-float32",))]
    assert names == ["import-tensorflow", "list-devices", "first-kernel", "matmul-float32"]
