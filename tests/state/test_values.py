"""Python values come back as they were, through real JSON."""

import json
import math
from collections import Counter, OrderedDict, defaultdict, deque
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from fitguard.state.values import MOST_ITEMS, NotPlain, decode, encode

VALUES: list[Any] = [
    None,
    True,
    3,
    2**200,
    -0.0,
    1e-310,
    math.inf,
    "text",
    b"\x00\xff",
    1 + 2j,
    (1, [2, (3,)]),
    {1, 2},
    frozenset({"a"}),
    {"a": 1, 2: (3,), (4, 5): None},
    OrderedDict([("b", 1), ("a", 2)]),
    Counter("aab"),
    defaultdict(list, {"x": [1]}),
    deque([1, 2], 2),
    deque([1]),
    np.float32(1.1),
    np.int64(-4),
    np.bool_(True),
    ml_dtypes.bfloat16(1.5),
    Path("a/b"),
    {"~": "tuple", "items": []},
]


def there_and_back(value: Any, arrays: dict[str, np.ndarray] | None = None) -> Any:
    return decode(json.loads(json.dumps(encode(value, arrays, "v"))), arrays)


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_values(value: Any) -> None:
    for arrays in (None, {}):
        back = there_and_back(value, arrays)

        assert type(back) is type(value)
        assert back == value


def test_nan_and_signs() -> None:
    assert math.isnan(there_and_back(math.nan))
    assert math.copysign(1, there_and_back(-0.0)) == -1
    assert there_and_back(deque([1], 5)).maxlen == 5
    assert there_and_back(defaultdict(int))["new"] == 0


def test_arrays_go_where_they_are_wanted() -> None:
    value = [np.arange(3), {"x": np.zeros((2, 0), "f2")}]
    arrays: dict[str, np.ndarray] = {}

    back = there_and_back(value, arrays)

    assert len(arrays) == 2
    assert (back[0] == value[0]).all()
    assert back[1]["x"].shape == (2, 0)
    back[0][0] = 9
    assert there_and_back(value, {})[0][0] == 0
    assert arrays["v#1"][0] == 0
    assert (there_and_back(value)[0] == value[0]).all()


def test_tensors() -> None:
    import tensorflow as tf

    back = there_and_back((tf.constant([1.5, 2.5], tf.bfloat16),), {})

    assert back[0].dtype == tf.bfloat16
    assert back[0].numpy().tolist() == [1.5, 2.5]


@pytest.mark.parametrize(
    "value",
    [object(), [lambda: 0], {"a": {1: lambda: 0}}, np.array([object()]), defaultdict(lambda: 1)],
    ids=["object", "function", "nested", "objects", "factory"],
)
def test_what_cannot_be_stored(value: Any) -> None:
    arrays: dict[str, np.ndarray] = {}
    with pytest.raises(NotPlain):
        encode([np.ones(3), value], arrays)
    assert arrays == {}


def test_what_is_too_much() -> None:
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(NotPlain):
        encode(loop)
    with pytest.raises(NotPlain, match="items"):
        encode(list(range(MOST_ITEMS + 1)))
    with pytest.raises(NotPlain, match="data"):
        encode([np.zeros(100), np.zeros(100)], {}, most_bytes=1500)


def test_unknown_kinds_are_no_values() -> None:
    with pytest.raises(KeyError):
        decode({"~": "os.system", "value": "true"})
    with pytest.raises(KeyError):
        decode({"~": "array", "name": "gone"}, {})
