"""PyDatasets are read through a twin: the original stays as it was."""

import itertools
import threading

import numpy as np

from fitguard.inputs.sources.pydatasets import SHARED_BYTES, batches, twin


class Counting:
    """As a PyDataset may be: large arrays, a generator of its own, and a state that moves."""

    def __init__(self, **extra):
        self.x = np.zeros(SHARED_BYTES // 8 + 1)
        self.order = np.arange(10)
        self.rng = np.random.default_rng(3)
        self.calls = []
        self.__dict__.update(extra)

    def __getitem__(self, index):
        self.calls.append(index)
        self.order[:] = self.rng.permutation(10)
        return self.order.copy()


def test_an_endless_one_is_read_from_the_beginning():
    read = batches(Counting(), None)
    assert [index for index, _ in itertools.islice(read, 4)] == [0, 1, 2, 3]


def test_the_original_does_not_move():
    dataset = Counting()
    expected = Counting()[0]
    copy = twin(dataset)
    assert copy.whole
    assert [index for index, _ in batches(copy.dataset, 4)] == [0, 3, 2, 1]
    assert dataset.calls == []
    assert np.array_equal(dataset[0], expected)


def test_large_arrays_are_not_copied():
    dataset = Counting()
    copy = twin(dataset).dataset
    assert copy.x is dataset.x
    assert copy.order is not dataset.order


def test_what_cannot_be_copied_is_shared():
    dataset = Counting(lock=threading.Lock())
    copy = twin(dataset)
    assert not copy.whole
    assert copy.dataset.lock is dataset.lock
