import time

import msgspec
import pytest
from checks.data.made_facts import model_of
from checks.data.made_pipelines import piped, stages
from checks.data.tiny_training import BATCH, only, regression, table
from checks.data.whole_check import check_all

from fitguard.checks.framework.testing import run_data

WAIT_SECONDS = 0.01


def slow(x, y):
    """Data that come slowly, as from a disk."""
    import tensorflow as tf

    def waited(values):
        time.sleep(WAIT_SECONDS)
        return values

    late = tf.numpy_function(waited, [x], tf.float32)
    return tf.ensure_shape(late, x.shape), y


def pipeline(*, added: bool, prefetch: bool, repeat: int = 1):
    import tensorflow as tf

    options = tf.data.Options()
    options.experimental_optimization.inject_prefetch = added
    made = tf.data.Dataset.from_tensor_slices(table()).repeat(repeat)
    made = made.batch(BATCH, drop_remainder=True).map(slow)
    return (made.prefetch(1) if prefetch else made).with_options(options)


def seconds(made) -> float:
    """How long it takes when the model needs as long as the data."""
    started = time.perf_counter()
    for _ in made:
        time.sleep(WAIT_SECONDS)
    return time.perf_counter() - started


def test_model_and_data_wait_for_each_other():
    in_turn = seconds(pipeline(added=False, prefetch=False, repeat=10))
    at_once = seconds(pipeline(added=False, prefetch=True, repeat=10))
    assert in_turn > 1.3 * at_once
    assert in_turn > 1.3 * seconds(pipeline(added=True, prefetch=False, repeat=10))


def test_found_where_tensorflow_adds_none():
    report = check_all(regression(), pipeline(added=False, prefetch=False))
    finding = only(report, "FG675")
    assert finding.severity == "info"
    assert ".prefetch(tf.data.AUTOTUNE)" in finding.fix.text


@pytest.mark.parametrize(("added", "prefetch"), [(False, True), (True, False)])
def test_silent_where_there_is_one(added, prefetch):
    made = pipeline(added=added, prefetch=prefetch)
    assert check_all(regression(), made).findings == ()


def facts(*names, added: bool | None = False, default: bool = True, **more):
    given = stages(*names)
    known = {"prefetch_added": added, "default_optimizations": default}
    return piped(msgspec.structs.replace(given, **known), **more)


@pytest.mark.parametrize(
    ("known", "count"),
    [
        (facts("range", "batch"), 1),
        (facts("range", "batch", "repeat", "with_options"), 1),
        (facts("range", "map", "batch"), 0),
        (facts("range", "map", "batch", default=False), 1),
        (facts("range", "batch", ("map", {"parallel": True})), 0),
        (facts("range", "batch", "prefetch", "with_options"), 0),
        (facts("range", "batch", "interleave"), 0),
        (facts("range", "batch", model=model_of(replicas=2)), 0),
        (facts("range", "batch", known={"kind": "distributed"}), 0),
        (facts("range", "batch", added=True), 0),
    ],
)
def test_edges(known, count):
    assert len(run_data("FG675", known).findings) == count


def test_skipped_where_the_options_are_not_known():
    assert run_data("FG675", facts("range", "batch", added=None)).skipped
