"""Structures of arrays get the names that a person finds them by."""

import numpy as np
import pytest

from fitguard.inputs.sources.structure import leaves, unpack_element


def names(structure):
    return [(leaf.name, leaf.key) for leaf in leaves(structure, "x")]


def test_one_array():
    assert names(np.zeros(1)) == [("x", None)]


def test_lists_and_dicts():
    one = np.zeros(1)
    assert names([one, one]) == [("x[0]", 0), ("x[1]", 1)]
    assert names({"b": one, "a": one}) == [("x['a']", "a"), ("x['b']", "b")]


def test_nested_ones_keep_the_outer_key():
    one = np.zeros(1)
    assert names({"a": [one, {"c": one}]}) == [("x['a'][0]", "a"), ("x['a'][1]['c']", "a")]


def test_nothing_is_no_leaf():
    assert names(None) == []
    assert names([None]) == []


@pytest.mark.parametrize("element", [np.zeros(2), (np.zeros(2),), [np.zeros(2)]])
def test_an_element_with_x_alone(element):
    assert unpack_element(element).y is None
    assert unpack_element(element).x.shape == (2,)


def test_four_parts_are_refused():
    with pytest.raises(ValueError, match=r"Received 4 parts. Expected x"):
        unpack_element((1, 2, 3, 4))
