"""What the actor of a worker is told to start."""

import msgspec

from fitguard.fleet.inspecting import NodeCard
from fitguard.fleet.launching import make_order
from fitguard.fleet.limiting import count_footprint, count_pool
from fitguard.fleet.storage.opening import MarkedStorage
from fitguard.fleet.trainings import Training
from fitguard.schema.fleet import FleetJob

MIB = 2**20
STORAGE = MarkedStorage("/runs", ".fleet-1")
JOB = FleetJob(
    name="a",
    command=("train.py", "--lr", "1"),
    folder="/project",
    memory_bytes=300 * MIB,
    options=("--exact-only",),
    environment={"SEED": "1"},
)
DECLARED = NodeCard(0, "Fake", 600 * MIB, is_declared=True)
GPU = NodeCard(0, "NVIDIA H200", 140 * 1024 * MIB)


def test_one_worker():
    order = make_order(Training(JOB, memory_bytes=JOB.memory_bytes), 0, DECLARED, STORAGE)
    assert order.words == (
        *("--resume=auto", "--exact-only"),
        *(f"--memory-limit={300 * MIB}", "--name=a"),
        *("--", "train.py", "--lr", "1"),
    )
    assert (order.run, order.storage, order.marker) == ("a", "/runs", ".fleet-1")
    assert order.environment == {"SEED": "1", "CUDA_VISIBLE_DEVICES": "-1"}
    assert order.card == "0 Fake"


def test_a_worker_of_a_gang():
    job = msgspec.structs.replace(JOB, workers=2, python="/opt/python")
    order = make_order(Training(job, memory_bytes=MIB), 1, DECLARED, STORAGE)
    assert {"--gang=a", "--worker=1", "--workers=2", "--python=/opt/python"} < {*order.words}
    assert "--name=a" not in order.words
    assert order.run == "a-worker-1"


def test_a_training_that_has_the_card_for_itself():
    whole = Training(JOB, takes_whole=True, micro_batch=8)
    order = make_order(whole, 0, DECLARED, STORAGE)
    assert f"--memory-limit={600 * MIB}" in order.words
    assert "--micro-batch=8" in order.words


def test_on_a_gpu_the_process_takes_some_for_itself():
    pool_bytes = 4096 * MIB
    assert count_pool(count_footprint(pool_bytes), GPU) >= pool_bytes
    assert count_pool(pool_bytes, GPU) < pool_bytes
    assert count_pool(pool_bytes, DECLARED) == pool_bytes
