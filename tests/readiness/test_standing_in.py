"""What a strategy would make of GPUs that are hidden while a script is looked at."""

import pytest
from checks.data.made_facts import facts_of, model_of
from checks.data.made_pipelines import source

from fitguard.readiness.script import _limit_for
from fitguard.readiness.standing_in import count_gpus, judge_on_gpus
from fitguard.schema.cluster import Cluster, ClusterTask
from fitguard.schema.data import DataReport
from fitguard.schema.facts import Facts
from fitguard.schema.hardware import Gpu


def report(**model):
    facts = {"strategy": "MirroredStrategy", "replica_devices": "CPU", **model}
    read = source(batch_size=7, last_batch_size=7, samples=70)
    return DataReport(ok=True, facts=facts_of(model=model_of(**facts), sources=(read,)))


def test_a_replica_on_each_gpu():
    judged = judge_on_gpus(report(), 2, ())
    assert not judged.ok
    assert [one.code for one in judged.findings] == ["FG660"]
    assert (judged.facts.model.replicas, judged.facts.model.gpus) == (2, 2)
    assert judge_on_gpus(report(), 2, ("FG660",)).findings == ()


@pytest.mark.parametrize(
    ("model", "gpus"),
    [
        ({}, 1),
        ({}, 0),
        ({"strategy": None, "replica_devices": None}, 2),
        ({"strategy": "OneDeviceStrategy"}, 2),
        ({"replica_devices": "GPU"}, 2),
        ({"replicas": 2}, 4),
    ],
)
def test_what_was_seen_stands(model, gpus):
    seen = report(**model)
    assert judge_on_gpus(seen, gpus, ()) is seen


def test_gpus_that_are_hidden_from_the_training_do_not_count():
    gpus = (Gpu(name="T4"), Gpu(index=1, name="T4"))
    assert count_gpus(Facts(gpus=gpus)) == 2
    assert count_gpus(Facts(gpus=gpus, environment={"CUDA_VISIBLE_DEVICES": "1"})) == 1
    assert count_gpus(Facts()) == 0


def test_only_who_may_wait_for_others_has_a_limit():
    task = ClusterTask(name="worker 1", role="worker", index=1)
    assert _limit_for(None) is None
    assert _limit_for(Cluster()) is None
    assert _limit_for(Cluster(configured=True, tasks=(task,))) == 120
    assert _limit_for(Cluster(launcher="horovodrun", processes=2)) == 120
