"""FG682; `test_replicas.py` has a real training."""

import pytest
from checks.data.made_facts import facts_of, model_of
from checks.data.tiny_training import only

from fitguard.checks.framework.testing import run_data


def judged(**model):
    facts = {"replicas": 2, "jit_compile_here": True, "replica_devices": "CPU"}
    return run_data("FG682", facts_of(model=model_of(**{**facts, **model})))


@pytest.mark.parametrize("library", ["keras 3.15.0", "tf_keras 2.21.0"])
def test_both_libraries_on_cpus(library):
    assert only(judged(library=library), "FG682").fix.changes_results


@pytest.mark.parametrize("model", [{"jit_compile_here": False}, {"replica_devices": "GPU"}])
def test_fine(model):
    assert judged(**model).passed == ("FG682",)


@pytest.mark.parametrize("model", [{"replicas": 1}, {"replica_devices": None}])
def test_skipped(model):
    assert judged(**model).skipped
