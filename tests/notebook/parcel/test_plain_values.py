import collections
import datetime
import enum
import functools
import logging
import math
import operator
import pathlib
import random
import re
import threading
from dataclasses import dataclass, field
from types import SimpleNamespace

import numpy as np
import pytest
from notebook.parcel.sending import Sent

from fitguard.state.not_carried import CannotCarry


class Colour(enum.Enum):
    RED = "red"


@dataclass
class Settings:
    rate: float = 0.1
    names: list[str] = field(default_factory=list)


class Slotted:
    __slots__ = ("left", "right")


class Options(dict):
    """A dict with attributes, as many projects have one."""


Point = collections.namedtuple("Point", "x y")


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        2**53 + 1,
        -(2**100),
        0.1,
        -0.0,
        math.inf,
        "text\n",
        b"\0bytes",
        1 + 2j,
        (1, (2, [3])),
        frozenset({1, 2}),
        {1: {"a": [1.5, None]}, (2, 3): {4, 5}},
        collections.OrderedDict(a=1, b=2),
        collections.Counter("abca"),
        collections.deque([1, 2], maxlen=3),
        bytearray(b"abc"),
        slice(1, None, 2),
        range(3, 9, 2),
        pathlib.Path("a/b"),
        re.compile("a+", re.IGNORECASE),
        datetime.datetime(2026, 1, 2, 3, 4, 5, 6),
        datetime.timedelta(days=1, microseconds=2),
        np.dtype("float32"),
        np.dtype([("a", "i4"), ("b", "f8")]),
        np.float16(0.5),
        logging.getLogger("some.logger"),
        Colour.RED,
        Point(1, 2),
        Settings(0.5, ["a"]),
        SimpleNamespace(a=[1]),
        Ellipsis,
        len,
        np.less,
        str.upper,
        math,
        collections.OrderedDict,
    ],
    ids=lambda value: type(value).__name__,
)
def test_comes_over_as_it_was(value, tmp_path):
    received = Sent(value, tmp_path).value
    assert received == value
    assert type(received) is type(value)


def test_zero_keeps_its_sign_and_nan_is_nan(tmp_path):
    zero, nan = Sent([-0.0, math.nan], tmp_path).value
    assert math.copysign(1, zero) == -1
    assert math.isnan(nan)


def test_a_class_below_dict_and_one_with_slots(tmp_path):
    options, slotted = Options(a=1), Slotted()
    options.extra = 2
    slotted.left = 3
    received, other = Sent([options, slotted], tmp_path).value
    assert (type(received), received, received.extra) == (Options, {"a": 1}, 2)
    assert other.left == 3
    assert not hasattr(other, "right")


def test_what_is_shared_stays_shared_and_may_hold_itself(tmp_path):
    inner = [1]
    value = {"a": inner, "b": inner}
    value["self"] = value
    received = Sent(value, tmp_path).value
    assert received["a"] is received["b"]
    assert received["self"] is received


def test_calls_with_fixed_arguments_and_methods(tmp_path):
    calls = [functools.partial(round, ndigits=1), Settings(0.25).__eq__, operator.itemgetter(1)]
    rounded, equal, item = Sent(calls, tmp_path).value
    assert rounded(1.26) == 1.3
    assert equal(Settings(0.25))
    assert item("ab") == "b"


@pytest.mark.parametrize(
    "make",
    [
        lambda: random.Random(3),
        lambda: np.random.default_rng(3),
        lambda: np.random.RandomState(3),
        lambda: np.random.Generator(np.random.Philox(3)),
    ],
    ids=["python", "numpy", "numpy-old", "numpy-philox"],
)
def test_a_generator_goes_on_on_both_sides(make, tmp_path):
    generator, undisturbed = make(), make()
    generator.random(), undisturbed.random()
    sent = Sent(generator, tmp_path)
    assert sent.value.random() == undisturbed.random()
    assert sent.back(sent.value) is generator
    assert generator.random() == undisturbed.random()


def test_what_changed_over_there_changes_here(tmp_path):
    settings = Settings(names=["a"])
    names = settings.names
    sent = Sent(settings, tmp_path)
    sent.value.names.append("b")
    sent.value.rate = 0.9
    sent.value.more = {"new": 1}
    received = sent.back({"settings": sent.value, "new": [1]})
    assert received["settings"] is settings
    assert settings.names is names
    assert (names, settings.rate, settings.more) == (["a", "b"], 0.9, {"new": 1})
    assert received["new"] == [1]


class Counting:
    """Writes its state down in its own way."""

    def __init__(self):
        self.count = 1

    def __getstate__(self):
        return (self.count,)

    def __setstate__(self, state):
        (self.count,) = state


def test_what_has_a_state_of_its_own_making_and_what_is_shared_by_all(tmp_path):
    counting, kind = Counting(), np.dtype("float32")
    sent = Sent([counting, kind, functools.partial(round, 1.26)], tmp_path)
    sent.value[0].count = 7
    received = sent.back(sent.value)
    assert received[0] is counting
    assert counting.count == 7
    assert received[1] == kind
    assert received[2](1) == 1.3


def test_an_attribute_that_cannot_come_back_is_left_as_it_was(tmp_path):
    settings = Settings()
    settings.rate = 0.5
    sent = Sent(settings, tmp_path)
    sent.value.rate = threading.Lock()
    sent.value.names.append("b")
    sent.back(sent.value)
    assert (settings.rate, settings.names) == (0.5, ["b"])


def test_what_cannot_be_carried_is_named_with_its_place(tmp_path):
    with pytest.raises(CannotCarry, match=r"value\['a'\]\.names\[0\] cannot be taken") as error:
        Sent({"a": Settings(names=[threading.Lock()])}, tmp_path)
    assert "Received: _thread.lock" in str(error.value)
    assert "What to do:" in str(error.value)
