"""The page of what is measured."""

from pathlib import Path

from fitguard.schema.metrics import METRICS

PAGE = Path(__file__).parents[2] / "docs" / "measurements.md"


def test_each_metric_has_its_row():
    text = PAGE.read_text()
    missing = [m.name for m in METRICS.values() if f"| `{m.name}` |" not in text]
    assert not missing
    assert all(metric.text in text for metric in METRICS.values())
