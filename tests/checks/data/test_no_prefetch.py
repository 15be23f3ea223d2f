import time

import msgspec
import pytest
from checks.data.made_facts import model_of
from checks.data.made_pipelines import piped, stages
from checks.data.tiny_training import BATCH, only, regression, table
from checks.data.whole_check import check_all
from programs import wait_for

from fitguard.checks.framework.testing import run_data

WHILE_NOBODY_ASKS_SECONDS = 0.5


def pipeline(*, added: bool, prefetch: bool, made: list[int] | None = None):
    """Batches; each is noted when it is made."""
    import tensorflow as tf

    def noted(values):
        if made is not None:
            made.append(1)
        return values

    def read(x, y):
        return tf.ensure_shape(tf.numpy_function(noted, [x], tf.float32), x.shape), y

    options = tf.data.Options()
    options.experimental_optimization.inject_prefetch = added
    batches = tf.data.Dataset.from_tensor_slices(table()).batch(BATCH, drop_remainder=True)
    batches = batches.map(read)
    return (batches.prefetch(1) if prefetch else batches).with_options(options)


def test_model_and_data_wait_for_each_other():
    """The model has its first batch, and works: is the second one made meanwhile?"""
    made: list[int] = []
    iterator = iter(pipeline(added=False, prefetch=False, made=made))
    next(iterator)
    time.sleep(WHILE_NOBODY_ASKS_SECONDS)
    assert len(made) == 1


@pytest.mark.parametrize(("added", "prefetch"), [(False, True), (True, False)])
def test_with_prefetch_both_work_at_once(added, prefetch):
    made: list[int] = []
    iterator = iter(pipeline(added=added, prefetch=prefetch, made=made))
    next(iterator)
    wait_for(lambda: len(made) > 1)


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
