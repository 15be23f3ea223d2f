"""FG680; `test_replicas.py` has a real training."""

import pytest
from checks.data.made_facts import facts_of, model_of
from checks.data.made_pipelines import source
from checks.data.tiny_training import only

from fitguard.checks.framework.testing import run_data

GENERATOR = {"kind": "generator", "container": "generator"}


def judged(library="keras 3.15.0", strategy="OneDeviceStrategy", **data):
    model = model_of(library=library, strategy=strategy)
    return run_data("FG680", facts_of(model=model, sources=(source(**{**GENERATOR, **data}),)))


@pytest.mark.parametrize("split", ["training", "validation"])
def test_one_device_is_enough(split):
    found = only(judged(split=split), "FG680")
    assert f"the {split} generator are lost under OneDeviceStrategy" in found.title
    assert found.evidence[1].text == "OneDeviceStrategy, 1 replica"
    assert "from_generator" in found.fix.text
    assert found.fix.changes_results


@pytest.mark.parametrize(
    "data",
    [{"kind": "dataset"}, {"kind": "pydataset", "container": "Batches"}, {"container": "loader"}],
)
def test_what_can_be_read_again(data):
    assert judged(**data).passed == ("FG680",)


@pytest.mark.parametrize(
    "model", [{"library": "tf_keras 2.21.0"}, {"library": "keras 3.4.1"}, {"strategy": None}]
)
def test_skipped_where_nothing_is_drawn(model):
    assert "takes no batch ahead" in judged(**model).skipped[0].reason
