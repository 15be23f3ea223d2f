"""Which part of an object is told when it cannot go over."""

import threading

import pytest

from fitguard.fleet.parcels import pack
from fitguard.state.not_carried import CannotCarry

LOCK = threading.Lock()


def make():
    def train():
        return later, LOCK

    if not train:
        later = None
    return train


def test_a_variable_without_a_value_is_passed_over():
    with pytest.raises(CannotCarry, match=r"LOCK \(used by train\)"):
        pack(make(), "train")
