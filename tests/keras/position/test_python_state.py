"""What reading the data changes in Python objects, as JSON, and back in another process."""

import functools
import itertools
import json
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from fitguard.keras.position.python_state import MOST_BYTES, PythonState


class Sampler:
    def __init__(self) -> None:
        self.source = np.random.default_rng(1)


class Data:
    def __init__(self) -> None:
        self.rows = np.arange(5)
        self.same = np.arange(5)
        self.names = [f"{number}.png" for number in range(30_000)]
        self.read = 0
        self.sampler = Sampler()
        self.steps = itertools.count()
        self.opaque = object()
        self.me = self


def change(data: Any) -> None:
    data.sampler.source.shuffle(data.rows)
    random.Random(3).shuffle(data.names)
    data.read = 4
    next(data.steps)
    data.late = "new"


def through_json(state: PythonState) -> Any:
    return json.loads(json.dumps(state.read()))


def test_only_what_is_large_is_left_out_where_it_has_not_changed() -> None:
    data = Data()
    state = PythonState({"data": data})
    assert "data.names" not in state.read()["now"]
    data.names.sort()
    assert "data.names" in state.read()["now"]


def test_a_generator_without_a_seed_comes_back() -> None:
    old, new = draws_from(np.random.default_rng()), draws_from(np.random.default_rng())
    PythonState({"function": new}).write(through_json(PythonState({"function": old})))
    assert new() == old()


def test_changes_come_back_in_place() -> None:
    old, data = Data(), Data()
    then = PythonState({"data": old})
    state = PythonState({"data": data})
    view, source = data.rows[:2], data.sampler.source
    change(old)
    state.write(through_json(then))
    assert data.rows.tolist() == old.rows.tolist()
    assert view.tolist() == old.rows[:2].tolist()
    assert source.random() == old.sampler.source.random()
    assert (data.read, data.late) == (4, "new")  # type: ignore[attr-defined]
    assert data.names == old.names
    assert next(data.steps) == 1
    assert state.inexact == []


def test_what_had_not_changed_yet_comes_back_too() -> None:
    data = Data()
    state = PythonState({"data": data})
    saved = through_json(state)
    change(data)
    state.write(saved)
    assert (data.rows.tolist(), data.read) == ([0, 1, 2, 3, 4], 0)
    assert not hasattr(data, "late")


def draws_from(source: Any) -> Callable[[], Any]:
    def draw() -> Any:
        return source.random()

    return draw


SOURCES = {
    "python": lambda: random.Random(3),
    "numpy": lambda: np.random.default_rng(3),
    "another of numpy": lambda: np.random.Generator(np.random.MT19937(3)),
    "old of numpy": lambda: np.random.RandomState(3),
}


@pytest.mark.parametrize("make", SOURCES.values(), ids=SOURCES.keys())
@pytest.mark.parametrize(
    "function", [draws_from, lambda source: functools.partial(type(source).random, source)]
)
def test_generators_that_functions_reach(make: Any, function: Any) -> None:
    old, new = function(make()), function(make())
    before, state = PythonState({"function": old}), PythonState({"function": new})
    old()
    state.write(through_json(before))
    assert [new() for _ in range(5)] == [old() for _ in range(5)]


def test_sources_are_told_from_what_reading_ahead_does_not_move() -> None:
    data = Data()
    assert [*map(id, PythonState({"data": data}).sources)] == [
        id(data.steps),
        id(data.sampler.source),
    ]


def kinds(state: PythonState) -> set[str]:
    return {entry["kind"] for entry in state.read()["now"].values()}


def test_what_other_data_reach_too_is_kept_there() -> None:
    source = random.Random(1)
    first = PythonState({"function": draws_from(source)})
    second = PythonState({"function": draws_from(source)}, beside=first)
    source.random()
    assert "random" in kinds(first)
    assert "random" not in kinds(second)


def test_a_large_array_is_named_and_not_kept() -> None:
    data = Data()
    data.rows = np.zeros(MOST_BYTES // 8 + 64)
    state = PythonState({"data": data})
    data.rows[:] = 1
    assert len(state.read()["arrays"]) == 1
    assert "Data.rows" in state.inexact[0]
    assert "too large" in state.inexact[0]


def test_a_python_generator_is_named() -> None:
    data = Data()
    data.opaque = (number for number in range(5))
    assert "Data.opaque is a Python generator" in PythonState({"data": data}).inexact[0]


def test_an_iterator_of_keras_that_gives_batches_by_number_comes_back() -> None:
    import tensorflow as tf

    images = tf.keras.preprocessing.image.ImageDataGenerator()
    rows = np.zeros((8, 2, 2, 3))
    old, new = (images.flow(rows, batch_size=4, seed=3) for _ in range(2))
    before, state = PythonState({"data": old}), PythonState({"data": new})
    _ = old[0], old[1]
    old.on_epoch_end()
    state.write(through_json(before))
    assert new.total_batches_seen == 2
    assert new.index_array.tolist() == old.index_array.tolist()
    assert state.inexact == before.inexact == []


def test_without_an_object_there_is_nothing() -> None:
    state = PythonState({})
    state.write({})
    assert state.read() == {}
