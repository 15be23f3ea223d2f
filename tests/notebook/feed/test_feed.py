"""Datasets that stay on one side and are read on the other; both sides in this process."""

import importlib
import os
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest

from fitguard.notebook.feed.receiving import make_dataset, numbering_iterators
from fitguard.notebook.feed.sending import pack_dataset
from fitguard.notebook.feed.serving import Feed
from fitguard.notebook.feed.slots import Slot

_LIMIT_SECONDS = 60


def tf():
    """Not loaded before a test runs."""
    return importlib.import_module("tensorflow")


@pytest.fixture
def feed(tmp_path):
    made = Feed(tmp_path)
    yield made
    made.close()


def received(feed, dataset):
    packer = SimpleNamespace(feed=feed.add, files=())
    return make_dataset(pack_dataset(dataset, packer), SimpleNamespace(feed=feed.address))


def numbers(dataset):
    return [int(element) for element in dataset]


def rows(data, sizes):
    return data.from_generator(
        lambda: ((np.full((size, 2), size, "float32"), {"label": [b"a" * size]}) for size in sizes),
        output_signature=(
            tf().TensorSpec((None, 2), tf().float32),
            {"label": tf().TensorSpec((1,), tf().string)},
        ),
    )


KINDS = {
    "numbers": lambda data: data.range(10).batch(3, drop_remainder=True),
    "growing": lambda data: rows(data, [1, 5, 2, 3000, 7, 1, 0]),
    "endless": lambda data: data.range(3).repeat(),
    "small-floats": lambda data: data.range(4).map(lambda n: tf().cast(n, tf().bfloat16)),
    "ragged": lambda data: data.range(4).map(tf().range).ragged_batch(2),
    "sparse": lambda data: data.range(4).map(lambda n: tf().sparse.from_dense([n, 0, n])).batch(2),
    "empty": lambda data: data.range(0),
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_elements_spec_and_cardinality(kind, feed):
    dataset = KINDS[kind](tf().data.Dataset)
    dataset.class_names = ["a", "b"]
    there = received(feed, dataset)
    assert there.class_names == ["a", "b"]
    assert there.element_spec == dataset.element_spec
    assert there.cardinality() == dataset.cardinality()
    pairs = list(zip(dataset.take(20), there.take(20), strict=True))
    for wanted, got in pairs:
        tf().nest.assert_same_structure(wanted, got, expand_composites=True)
        flat = [tf().nest.flatten(one, expand_composites=True) for one in (wanted, got)]
        for left, right in zip(*flat, strict=True):
            assert left.dtype == right.dtype
            assert np.array_equal(left.numpy(), right.numpy())


PIPELINES = {
    "shuffle": lambda: tf().data.Dataset.range(9).shuffle(9),
    "cache": lambda: tf().data.Dataset.range(9).cache().shuffle(9),
    "repeat": lambda: tf().data.Dataset.range(9).shuffle(9).repeat(2),
    "python": lambda: (
        tf()
        .data.Dataset.from_generator(
            lambda: iter(range(9)), output_signature=tf().TensorSpec((), tf().int64)
        )
        .shuffle(9)
    ),
}


@pytest.mark.parametrize("name", PIPELINES)
def test_a_process_that_begins_again_sees_the_orders_that_it_saw(name, feed):
    dataset = PIPELINES[name]()
    with numbering_iterators():
        first = received(feed, dataset)
        orders = [numbers(first) for _ in range(3)]
        assert len({tuple(order) for order in orders}) == 3
        # As a new process does: a new dataset, and an iterator for each that there was before.
        again = received(feed, dataset)
        iter(again)
        assert numbers(again) == orders[1]
        assert numbers(again) == orders[2]
        fourth = numbers(again)
        assert fourth not in orders
        assert sorted(fourth) == sorted(orders[0])


def test_the_orders_are_those_that_the_kernel_would_have_seen(feed):
    def make():
        return tf().data.Dataset.range(9).shuffle(9, seed=3)

    plain, dataset = make(), make()
    with numbering_iterators():
        there = received(feed, dataset).map(lambda number: number + 0)
        assert [numbers(there) for _ in range(2)] == [numbers(plain) for _ in range(2)]
        # What the kernel reads itself afterwards goes on from there.
        assert numbers(dataset) == numbers(plain)


def test_a_dataset_that_is_repeated_over_there_is_read_anew(feed):
    with numbering_iterators():
        twice = numbers(received(feed, tf().data.Dataset.range(9).shuffle(9)).repeat(2))
    assert sorted(twice[:9]) == sorted(twice[9:]) == list(range(9))
    assert twice[:9] != twice[9:]


def test_an_error_of_the_pipeline_arrives(feed):
    def fail(number):
        with tf().control_dependencies(
            [tf().debugging.assert_less(number, tf().constant(2, tf().int64))]
        ):
            return tf().identity(number)

    there = iter(received(feed, tf().data.Dataset.range(4).map(fail)))
    assert [int(next(there)) for _ in range(2)] == [0, 1]
    with pytest.raises(
        tf().errors.OpError, match=r"pipeline in the notebook failed: InvalidArgument"
    ):
        next(there)


def test_a_reader_that_leaves_frees_its_slots(feed):
    there = iter(received(feed, tf().data.Dataset.range(3).repeat()))
    next(there)
    folder = feed.address.parent
    assert list(folder.glob("slot-*"))
    assert all(slot.stat().st_mode & 0o777 == 0o600 for slot in folder.glob("slot-*"))
    assert folder.stat().st_mode & 0o777 == 0o700
    del there
    until = time.monotonic() + _LIMIT_SECONDS
    while list(folder.glob("slot-*")) and time.monotonic() < until:
        time.sleep(0.05)
    assert not list(folder.glob("slot-*"))


def test_a_batch_that_memory_has_no_room_for_goes_to_the_disk(tmp_path):
    os.mkfifo(tmp_path / "memory")  # has no room for anything
    slot = Slot(tmp_path / "memory", [tmp_path / "slot"])
    size, places = slot.write([tf().range(5)])
    assert slot.path == tmp_path / "slot"
    (received,) = Slot(slot.path).read(size, places)
    assert received.tolist() == [0, 1, 2, 3, 4]
    os.mkfifo(tmp_path / "full")
    with pytest.raises(MemoryError, match=r"A batch takes 20 bytes, and .* has no room for it"):
        Slot(tmp_path / "full").write([tf().range(5)])


def test_a_reader_without_a_kernel_ends_with_an_error(feed):
    there = received(feed, tf().data.Dataset.range(3))
    feed.close()
    with pytest.raises(tf().errors.OpError):
        next(iter(there))
    names = [thread.name for thread in threading.enumerate()]
    assert "fitguard-feed" not in names


def test_what_differs_when_it_is_read_again_is_said(feed, capsys):
    tf().random.set_seed(None)  # other tests of this process may have set one
    dataset = tf().data.Dataset.range(3).shuffle(3)
    feed.add(dataset)
    assert capsys.readouterr().err == ""
    feed.add(dataset.map(lambda _: tf().random.uniform(())))
    assert "draws random numbers without a seed" in capsys.readouterr().err
    feed.add(dataset.take(1))
    assert "come from the same shuffle" in capsys.readouterr().err
