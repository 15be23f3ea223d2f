"""FG681; `test_replicas.py` has a real training."""

import pytest
from checks.data.made_facts import facts_of, model_of
from checks.data.tiny_training import only

from fitguard.checks.framework.testing import run_data


def judged(**model):
    facts = {"replicas": 2, "steps_per_execution": 4, "strategy": "MirroredStrategy"}
    return run_data("FG681", facts_of(model=model_of(**{**facts, **model})))


def test_four_steps_on_two_replicas():
    found = only(judged(), "FG681")
    assert found.severity == "error"
    assert found.evidence[1].text == "MirroredStrategy, 2 replicas"
    assert not found.fix.changes_results


@pytest.mark.parametrize("model", [{"steps_per_execution": 1}, {"library": "tf_keras 2.21.0"}])
def test_fine(model):
    assert judged(**model).passed == ("FG681",)


def test_skipped_with_one_replica():
    assert judged(replicas=1).skipped[0].reason == "the model has one replica"
