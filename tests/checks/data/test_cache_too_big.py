import msgspec
import numpy as np
import pytest
from checks.data.held_memory import ELEMENTS, MIB, held_bytes, made
from checks.data.made_pipelines import piped, stages
from checks.data.tiny_training import only

import fitguard
from fitguard.checks.framework.testing import run_data
from fitguard.schema.data import Training
from fitguard.schema.hardware import Host

CACHE = ("cache", {"filename": ""})


def test_a_cache_holds_every_element():
    in_memory, on_disk = held_bytes("cache", "cache_on_disk")
    assert ELEMENTS * MIB <= in_memory < 1.1 * ELEMENTS * MIB
    assert on_disk < 0.1 * ELEMENTS * MIB


def test_a_cache_behind_repeat_holds_them_again_and_again():
    behind, before = held_bytes("cache_behind_repeat", "cache_before_repeat")
    assert behind >= 2 * ELEMENTS * MIB
    assert before < 0.1 * ELEMENTS * MIB


def test_found_in_a_real_pipeline(tmp_path):
    import keras
    import tensorflow as tf

    model = keras.Sequential([keras.Input((MIB // 4,)), keras.layers.Dense(1)])
    model.compile(keras.optimizers.SGD(1e-7), "mse")

    def pipeline(*cache):
        numbers = tf.data.Dataset.range(ELEMENTS)
        pairs = numbers.map(lambda number: (made(number) / ELEMENTS, tf.zeros((1,))))
        return pairs.cache(*cache).batch(4).prefetch(1)

    report = fitguard.check_data(model, pipeline(), ignore="FG631")
    assert report.findings == ()
    small = msgspec.structs.replace(report.facts, host=Host(available_bytes=20 * MIB))
    finding = only(run_data("FG674", small), "FG674")
    assert finding.severity == "error"
    assert finding.title.startswith(
        "The cache of the training pipeline needs 128.0 MiB, and 20.0 MiB"
    )
    on_disk = fitguard.check_data(model, pipeline(str(tmp_path / "cache")), ignore="FG631")
    small = msgspec.structs.replace(on_disk.facts, host=Host(available_bytes=20 * MIB))
    assert run_data("FG674", small).findings == ()
    assert np.isfinite(model.fit(pipeline(), verbose=0).history["loss"]).all()


def cached(elements: int | None, element_bytes: int | None, **more):
    source = ("from_tensor_slices", {"elements": elements, "element_bytes": element_bytes})
    return piped(stages(source, CACHE, "batch"), host=Host(available_bytes=100 * MIB), **more)


@pytest.mark.parametrize(
    ("elements", "element_bytes", "severity"),
    [
        (101, MIB, "error"),
        (81, MIB, "warning"),
        (80, MIB, None),
        (None, MIB, None),
        (101, None, None),
        (-1, MIB, "error"),
    ],
)
def test_sizes(elements, element_bytes, severity):
    found = [item.severity for item in run_data("FG674", cached(elements, element_bytes)).findings]
    assert found == [severity] * bool(severity)


def test_the_size_behind_a_batch_is_that_before_it():
    source = ("from_tensor_slices", {"elements": 101, "element_bytes": MIB})
    facts = piped(stages(source, "batch", CACHE), host=Host(available_bytes=100 * MIB))
    assert only(run_data("FG674", facts), "FG674").severity == "error"


def test_the_limit_of_the_container_counts():
    facts = cached(50, MIB)
    host = Host(available_bytes=100 * MIB, cgroup_limit_bytes=60 * MIB, cgroup_used_bytes=20 * MIB)
    finding = only(run_data("FG674", msgspec.structs.replace(facts, host=host)), "FG674")
    assert finding.evidence[-1].source == "cgroup"


@pytest.mark.parametrize(("steps", "count"), [(10, 0), (60, 1)])
def test_an_endless_cache_of_few_steps(steps, count):
    training = Training(steps_per_epoch=steps, epochs=2)
    assert len(run_data("FG674", cached(-1, MIB, training=training)).findings) == count


def test_skipped_where_memory_is_not_known():
    facts = msgspec.structs.replace(cached(101, MIB), host=None)
    assert "memory" in run_data("FG674", facts).skipped[0].reason
