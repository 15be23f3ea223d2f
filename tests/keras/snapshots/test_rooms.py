"""Memory of snapshots is used again only when nobody looks at it any more."""

import numpy as np
import pytest
import tensorflow as tf

from fitguard.keras.snapshots.content import Content
from fitguard.keras.snapshots.rooms import Rooms
from fitguard.keras.state import tensors


def lend(rooms, *lengths):
    return Content(
        arrays={str(number): rooms.lend((n,), "float32") for number, n in enumerate(lengths)}
    )


def addresses(content):
    return sorted(array.ctypes.data for array in content.arrays.values())


def test_what_is_on_the_disk_makes_room_for_the_next():
    rooms = Rooms()
    first = lend(rooms, 1000, 1000, 500)
    rooms.take_back(first)

    assert addresses(lend(rooms, 500, 1000, 1000)) == addresses(first)


def test_what_is_still_to_be_written_is_left_alone():
    rooms = Rooms()
    first, second = lend(rooms, 1000), lend(rooms, 1000)
    rooms.take_back(first)
    third, fourth = lend(rooms, 1000), lend(rooms, 1000)

    assert addresses(third) == addresses(first)
    assert len({*addresses(first), *addresses(second), *addresses(fourth)}) == 3


def test_arrays_of_others_are_never_lent():
    rooms = Rooms()
    theirs = np.ones(1000, "float32")
    rooms.take_back(Content(arrays={"python/x": theirs}))

    assert rooms.lend((1000,), "float32").ctypes.data != theirs.ctypes.data


def test_what_came_back_twice_is_lent_once():
    rooms = Rooms()
    first = lend(rooms, 1000)
    rooms.take_back(first)
    rooms.take_back(first)

    assert addresses(lend(rooms, 1000)) != addresses(first)


def test_it_holds_the_memory_of_one_snapshot():
    rooms = Rooms()
    first, second = lend(rooms, 1000), lend(rooms, 1000)
    rooms.take_back(first)
    rooms.take_back(second)

    assert addresses(lend(rooms, 1000)) == addresses(second)
    assert addresses(lend(rooms, 1000)) != addresses(first)


def test_when_nothing_trains_it_holds_nothing():
    rooms = Rooms()
    written, on_its_way = lend(rooms, 1000), lend(rooms, 1000)
    rooms.take_back(written)
    rooms.clear()
    rooms.take_back(on_its_way)

    found = lend(rooms, 1000)
    assert addresses(found) not in (addresses(written), addresses(on_its_way))


def test_a_variable_is_copied_into_memory_that_is_there():
    variable = tf.Variable(tf.random.normal((1024, 512)))
    there = np.zeros((1024, 512), "float32")

    found = tensors.read(variable, lambda *_: there)
    before = found.copy()
    variable.assign_add(tf.ones_like(variable))

    assert found is there
    np.testing.assert_array_equal(found, before)
    np.testing.assert_array_equal(found + 1, variable.numpy())


def test_memory_of_another_kind_is_an_error_and_no_rounding():
    variable = tf.Variable(tf.random.normal((1024, 512)))

    with pytest.raises(TypeError, match="float16"):
        tensors.read(variable, lambda *_: np.zeros((1024, 512), "float16"))


def test_small_values_take_no_room():
    variable = tf.Variable(3.0)

    assert tensors.read(variable, lambda *_: 1 / 0) == np.float32(3.0)
