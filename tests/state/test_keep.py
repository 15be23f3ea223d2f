"""Python code runs, and everything that it can reach is as before."""

import argparse
import array
import collections
import dataclasses
import importlib
import io
import itertools
import queue
import random
import string
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fitguard.state.keep import (
    Unkeepable,
    check_python_state,
    keeping_python_state,
)

COUNT = 0
SEEN: list[int] = []
_RNG = random.Random(3)


def uses_globals() -> float:
    global COUNT
    COUNT += 1
    SEEN.append(COUNT)
    return _RNG.random() + COUNT + len(SEEN)


def uses_closure() -> Any:
    count = 0
    rng = np.random.default_rng(1)
    order = np.arange(5)
    table = {"a": [1]}
    names = {"x"}
    line = collections.deque([1, 2])
    child = np.random.default_rng(2)

    def draw(remembered: list[int] = []) -> list[float]:  # noqa: B006
        nonlocal count
        count += 1
        rng.shuffle(order)
        table["a"].append(count)
        table[str(count)] = [count]
        names.add(str(count))
        line.rotate(1)
        remembered.append(count)
        spawned = child.spawn(1)[0].random()
        return [count, *order, len(table["a"]), len(names), line[0], len(remembered), spawned]

    return draw


@dataclasses.dataclass(slots=True)
class Slots:
    count: int = 0


class Counter:
    total = 0

    def __init__(self) -> None:
        self.own = 0
        self.slots = Slots()

    def draw(self) -> tuple[Any, ...]:
        self.own += 1
        Counter.total += 1
        self.slots.count += 1
        new = not hasattr(self, "late")
        self.late = True
        return self.own, Counter.total, self.slots.count, new


def uses_self() -> Any:
    return Counter().draw


def uses_file(folder: Path) -> Any:
    (folder / "f").write_text("abc\ndef\n")
    file = (folder / "f").open()
    return lambda: file.readline()


def uses_variable() -> Any:
    import tensorflow as tf

    variable = tf.Variable(1.0)
    generator = tf.random.Generator.from_seed(2)
    return lambda: (float(variable.assign_add(1.0)), float(generator.uniform([])))


def uses_layer() -> Any:
    import keras

    layer = keras.layers.RandomFlip(seed=3)
    image = np.arange(16.0).reshape(1, 4, 4, 1)
    return lambda: np.asarray(layer(image, training=True)).tolist()


@pytest.mark.parametrize(
    "make",
    [lambda: uses_globals, uses_closure, uses_self, uses_variable, uses_layer],
    ids=["globals", "closure", "self", "variable", "layer"],
)
def test_what_is_drawn_inside_is_drawn_again(make: Any) -> None:
    function = make()
    with keeping_python_state([function]):
        first = [function() for _ in range(8)]

    again = [function() for _ in range(8)]
    assert again == first
    assert [function() for _ in range(8)] != first


def test_a_set_that_does_not_change_keeps_its_order() -> None:
    numbers = {8}
    numbers.add(0)
    order = [*numbers]
    with keeping_python_state([lambda: numbers]):
        pass

    assert order == [*numbers] != [*{0, 8}]


def test_what_lies_in_sets_is_put_back() -> None:
    counter = Counter()
    counters = {counter}
    with keeping_python_state([lambda: counters]):
        counter.draw()

    assert counter.own == 0


def test_kin_of_lists_and_dicts_are_put_back() -> None:
    counts, order = collections.Counter("aab"), collections.OrderedDict(a=1, b=2)
    numbers, options = array.array("i", [1, 2]), argparse.Namespace(rate=1)

    def spoil() -> None:
        counts["z"] += 1
        order.move_to_end("a")
        numbers.append(3)
        options.late = 1

    with keeping_python_state([spoil]):
        spoil()

    assert counts == {"a": 2, "b": 1}
    assert [*order] == ["a", "b"]
    assert numbers.tolist() == [1, 2]
    assert vars(options) == {"rate": 1}


def test_what_a_library_has_added_to_its_own_objects_stays() -> None:
    formatter: Any = string.Formatter()
    formatter.style = "plain"
    with keeping_python_state([lambda: formatter]):
        formatter.style, formatter.cache = "bold", {}

    assert vars(formatter) == {"style": "plain", "cache": {}}


def test_globals_and_attributes_that_were_not_there_are_gone() -> None:
    def draw() -> None:
        global _LATE
        _LATE = draw.calls = 1  # type: ignore[attr-defined]

    with keeping_python_state([draw]):
        draw()

    assert "_LATE" not in globals()
    assert not vars(draw)


@pytest.mark.parametrize("library", ["keras", "tf_keras"])
def test_models_that_are_not_built_are_no_obstacle(library: str) -> None:
    keras = importlib.import_module(library)
    model, optimizer = keras.Sequential([keras.layers.Dense(1)]), keras.optimizers.Adam()

    check_python_state([lambda: (model, optimizer)])
    with keeping_python_state([lambda: (model, optimizer)]):
        model(np.ones((1, 2)))

    assert model(np.ones((1, 2))).shape == (1, 1)


@pytest.mark.parametrize("library", ["keras", "tf_keras"])
def test_a_layer_that_was_built_meanwhile_can_be_used(library: str) -> None:
    keras = importlib.import_module(library)

    class Own(keras.layers.Layer):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.kernel: Any = None

        def build(self, shape: Any) -> None:
            self.kernel = self.add_weight(shape=(shape[-1], 1))
            super().build(shape)

        def call(self, x: Any) -> Any:
            return x @ self.kernel

    layer = Own()
    image = np.ones((1, 2), "float32")
    with keeping_python_state([lambda: layer(image)]):
        layer(image)

    assert layer(image).shape == (1, 1)


def test_a_file_is_set_back(tmp_path: Path) -> None:
    function = uses_file(tmp_path)
    with keeping_python_state([function]):
        assert function() == "abc\n"

    assert function() == "abc\n"


def test_state_is_put_back_after_an_error() -> None:
    function = uses_closure()
    expected = uses_closure()()

    def run_and_fail() -> None:
        with keeping_python_state([function]):
            function()
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        run_and_fail()
    assert function() == expected


def one_shots() -> dict[str, Any]:
    return {
        "generator": (n for n in range(3)),
        "zip": zip([1], [2], strict=True),
        "count": itertools.count(),
        "queue": queue.Queue(),
        "simple queue": queue.SimpleQueue(),
        "list_iterator": iter([1, 2]),
    }


@pytest.mark.parametrize("kind", sorted(one_shots()))
def test_what_can_be_read_only_once_is_refused(kind: str) -> None:
    holder = {"deep": [one_shots()[kind]]}

    with pytest.raises(Unkeepable, match=r"reads from holder \(\w+\), which can be read only once"):
        check_python_state([lambda: holder])


def test_writing_a_log_is_no_obstacle() -> None:
    log = io.TextIOWrapper(io.BufferedWriter(io.BytesIO()))  # type: ignore[arg-type]

    check_python_state([lambda: print(1, file=log)])


def test_modules_of_the_user_are_followed() -> None:
    module = types.ModuleType("users_own")
    exec("left = iter([1])\ndef take():\n    return next(left)\n", module.__dict__)
    scope = {"users_own": module}
    exec("def generate():\n    return users_own.take()\n", scope)

    with pytest.raises(Unkeepable, match="reads from left \\(list_iterator"):
        check_python_state([scope["generate"]])


def test_long_lists_of_plain_samples_are_no_obstacle() -> None:
    samples = [(f"{n}.png", n) for n in range(300_000)]

    check_python_state([lambda: samples])


@pytest.mark.parametrize(
    "make",
    [lambda n: [n], lambda n: {"label": n}, lambda n: {n}],
    ids=["lists", "dicts", "sets"],
)
def test_long_lists_of_samples_are_put_back(make: Any) -> None:
    samples = [make(n) for n in range(5000)]

    def spoil() -> None:
        samples[7] = samples[8]
        samples[0].clear()
        samples.pop()

    with keeping_python_state([spoil]):
        spoil()

    assert samples == [make(n) for n in range(5000)]


def test_many_arrays_are_made_read_only() -> None:
    samples = [np.array([n]) for n in range(5000)]

    def spoil() -> None:
        samples[7][0] = 3

    def run() -> None:
        with keeping_python_state([spoil]):
            spoil()

    with pytest.raises(Unkeepable, match="too many, to copy"):
        run()
    assert [int(sample[0]) for sample in samples] == list(range(5000))
    assert all(sample.flags.writeable for sample in samples)


def test_too_many_objects_are_refused() -> None:
    samples = [[[n]] for n in range(120_000)]

    with pytest.raises(Unkeepable, match="too many"):
        check_python_state([lambda: samples])
