"""FG683; `test_replicas.py` has a real training."""

import pytest
from checks.data.made_facts import facts_of, model_of, table_input
from checks.data.tiny_training import only

from fitguard.checks.framework.testing import run_data


def judged(dtype="string", **model):
    given = table_input(name="words", dtype=dtype)
    facts = {"replicas": 2, "strategy": "MirroredStrategy", **model}
    return run_data("FG683", facts_of(model=model_of(given, **facts)))


def test_text():
    found = only(judged(), "FG683")
    assert found.title == "Text in words cannot be split among 2 replicas"
    assert not found.fix.changes_results


def test_numbers():
    assert judged("int32").passed == ("FG683",)


@pytest.mark.parametrize("model", [{"replicas": 1}, {"library": "tf_keras 2.21.0"}])
def test_skipped(model):
    assert judged(**model).skipped
