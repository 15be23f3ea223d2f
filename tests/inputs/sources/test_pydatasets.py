"""PyDatasets are read through a twin: the original stays as it was."""

import itertools
import threading

import numpy as np
import pytest

from fitguard.inputs.pipelines.twins import Unreadable
from fitguard.inputs.sources.pydatasets import batches, twin
from fitguard.state.keep import COPIED_BYTES


class Counting:
    """As a PyDataset may be: large arrays, a generator of its own, and a state that moves."""

    def __init__(self, **extra):
        self.x = np.zeros(COPIED_BYTES // 8 + 1)
        self.order = np.arange(10)
        self.rng = np.random.default_rng(3)
        self.calls = []
        self.__dict__.update(extra)

    def __getitem__(self, index):
        self.calls.append(index)
        self.order[:] = self.rng.permutation(10)
        return self.order.copy()


def test_an_endless_one_is_read_from_the_beginning():
    read = batches(twin(Counting()), None)
    assert [index for index, _ in itertools.islice(read, 4)] == [0, 1, 2, 3]


def test_the_original_does_not_move():
    dataset = Counting()
    expected = Counting()[0]
    copy = twin(dataset)
    assert copy.whole
    assert [index for index, _ in batches(copy, 4)] == [0, 3, 2, 1]
    assert dataset.calls == []
    assert np.array_equal(dataset[0], expected)


def test_large_arrays_are_not_copied():
    dataset = Counting()
    copy = twin(dataset).dataset
    assert copy.x is dataset.x
    assert copy.order is not dataset.order


def test_arrays_that_are_many_or_lie_deep_are_not_copied():
    deep = {"a": [{"b": ({"c": Counting()},)}]}
    parts = [np.zeros(COPIED_BYTES // 80) for _ in range(20)]
    copy = twin(Counting(deep=deep, parts=parts)).dataset
    inner = copy.deep["a"][0]["b"][0]["c"]
    assert inner.x is deep["a"][0]["b"][0]["c"].x
    shared = [one is other for one, other in zip(copy.parts, parts, strict=True)]
    assert 0 < sum(shared) < 20


def test_what_cannot_be_copied_is_put_back():
    dataset = Counting(lock=threading.Lock())
    expected = Counting()[0]
    read = twin(dataset)
    assert not read.whole
    assert len(list(batches(read, 4))) == 4
    assert dataset.calls == []
    assert dataset.order.tolist() == list(range(10))
    assert np.array_equal(dataset[0], expected)


def test_long_lists_are_put_back():
    class Shuffling(Counting):
        def __getitem__(self, index):
            self.rng.shuffle(self.names)
            return super().__getitem__(index)

    dataset = Shuffling(names=[str(number) for number in range(20_000)])
    assert len(list(batches(twin(dataset), 3))) == 3
    assert dataset.names[:3] == ["0", "1", "2"]


def test_who_changes_a_large_array_is_not_read():
    class Centring(Counting):
        def __getitem__(self, index):
            self.x[index] -= 1
            return self.x[:4]

    dataset = Centring()
    with pytest.raises(Unreadable, match="changes arrays"):
        list(batches(twin(dataset), 3))
    assert not dataset.x.any()
    assert dataset.x.flags.writeable


def test_a_generator_inside_is_not_consumed():
    numbers = (number for number in range(5))
    with pytest.raises(Unreadable, match="which can be read only once"):
        list(batches(twin(Counting(numbers=numbers)), 3))
    assert list(numbers) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("library", ["keras", "tf_keras"])
def test_iterators_of_image_generators_are_read_and_do_not_move(library):
    if library == "keras":
        from keras.src.legacy.preprocessing.image import Iterator
    else:
        from tf_keras.preprocessing.image import Iterator

    class Flow(Iterator):
        def _get_batches_of_transformed_samples(self, index_array):
            return index_array.astype("float32"), index_array

    stream = Flow(20, 4, True, 7)
    copied = twin(stream)
    assert copied.whole
    assert len(list(batches(copied, 5))) == 5
    assert (stream.index_array, stream.total_batches_seen) == (None, 0)
