"""Attributes of the user's data object, as data."""

import collections
import json
import random
from typing import Any

import numpy as np
import pytest

from fitguard.keras.position.attributes import MOST_BYTES, Attributes
from fitguard.keras.position.plain import NotPlain, from_data, to_data

VALUES = [
    None,
    True,
    3,
    1.5,
    float("inf"),
    "text",
    [1, (2.5, "a")],
    {"a": [1], 2: None},
    collections.deque([1, 2]),
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_values_come_back(value: Any) -> None:
    again = from_data(json.loads(json.dumps(to_data(value))))
    assert again == value
    assert type(again) is type(value)


@pytest.mark.parametrize(
    "value", [np.arange(6).reshape(2, 3), np.zeros(0), np.float32(2.5), np.array(["ab", "c"])]
)
def test_arrays_come_back(value: Any) -> None:
    again = from_data(json.loads(json.dumps(to_data(value))))
    assert np.array_equal(again, value)
    assert again.dtype == value.dtype


@pytest.mark.parametrize(
    ("source", "draw"),
    [
        (random.Random(3), lambda source: source.random()),
        (np.random.default_rng(3), lambda source: source.random()),
        (np.random.Generator(np.random.MT19937(3)), lambda source: source.normal()),
        (np.random.RandomState(3), lambda source: source.normal()),
    ],
)
def test_random_generators_go_on(source: Any, draw: Any) -> None:
    draw(source)
    again = from_data(json.loads(json.dumps(to_data(source))))
    assert [draw(again) for _ in range(5)] == [draw(source) for _ in range(5)]


@pytest.mark.parametrize("value", [object(), iter([1]), np.array([object()]), {1: object()}])
def test_other_things_are_not_kept(value: Any) -> None:
    with pytest.raises(NotPlain):
        to_data(value)


class Sampler:
    def __init__(self) -> None:
        self.source = np.random.default_rng(1)


class Data:
    def __init__(self) -> None:
        self.rows = np.arange(5)
        self.same = np.arange(5)
        self.read = 0
        self.sampler = Sampler()
        self.opaque = object()
        self.me = self


def changed() -> tuple[Data, dict[str, Any]]:
    data = Data()
    attributes = Attributes(data)
    data.sampler.source.shuffle(data.rows)
    data.read = 4
    data.late = "new"  # type: ignore[attr-defined]
    return data, json.loads(json.dumps(attributes.changed()))


def test_only_what_changed_is_kept() -> None:
    _, changes = changed()
    assert sorted(changes) == ["late", "read", "rows", "sampler.source"]


def test_changes_come_back_in_place() -> None:
    old, changes = changed()
    data = Data()
    view, source = data.rows[:2], data.sampler.source
    Attributes(data).restore(changes)
    assert data.rows.tolist() == old.rows.tolist()
    assert view.tolist() == old.rows[:2].tolist()
    assert source.random() == old.sampler.source.random()
    assert (data.read, data.late) == (4, "new")  # type: ignore[attr-defined]


def test_a_large_array_is_named_and_not_kept() -> None:
    data = Data()
    data.rows = np.zeros(MOST_BYTES // 8 + 1)
    attributes = Attributes(data)
    data.rows[0] = 1
    assert attributes.changed() == {}
    assert attributes.too_large == {"rows"}


def test_without_an_object_there_is_nothing() -> None:
    attributes = Attributes(None)
    attributes.restore({})
    assert attributes.changed() == {}
