"""Random generators are as before, whatever was drawn."""

import random
import sys
from typing import Any

import numpy as np
import pytest

from fitguard.contract.random_sources import is_random_source, restore_of
from fitguard.contract.random_state import (
    keeping_random_state,
    read_random_state,
    seed_new_generators,
)


def draw_globals() -> list[Any]:
    import keras
    import tensorflow as tf

    return [
        random.random(),
        np.random.rand(),
        tf.data.Dataset.range(9).shuffle(9)._seed2.numpy(),
        tf.random.get_global_generator().uniform([]).numpy(),
        keras.random.uniform([]).numpy(),
    ]


def test_global_generators() -> None:
    import keras

    keras.utils.set_random_seed(3)
    draw_globals()
    with keeping_random_state():
        first = draw_globals()

    assert draw_globals() == first
    assert all(a != b for a, b in zip(draw_globals(), first, strict=True))


def test_generators_that_are_made_without_a_seed_get_one_of_the_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bit_generator = sys.modules["numpy.random.bit_generator"]
    monkeypatch.setattr(bit_generator, "randbits", bit_generator.randbits)
    drawn = []
    for seed in (7, 7, 8):
        seed_new_generators(seed)
        with keeping_random_state():
            first = np.random.default_rng().random()
        assert np.random.default_rng().random() == first
        drawn.append([first, np.random.default_rng().random(), np.random.RandomState().rand()])
    assert drawn[0] == drawn[1]
    assert len({*drawn[0], *drawn[2]}) == 6


def test_a_global_seed_that_is_set_inside_is_taken_back() -> None:
    import tensorflow as tf
    from tensorflow.python.eager import context

    tf.random.set_seed(4)
    with keeping_random_state():
        tf.random.set_seed(5)

    assert context.global_seed() == 4


def test_a_seed_of_keras_2_that_is_set_inside_is_taken_back() -> None:
    import tf_keras

    counters = sys.modules["tf_keras.src.backend"]._SEED_GENERATOR
    tf_keras.utils.set_random_seed(4)
    with keeping_random_state():
        first = counters.generator.random()
        tf_keras.utils.set_random_seed(5)

    assert counters.generator.random() == first


def test_keras_3_is_not_taken_for_keras_2() -> None:
    import keras
    import tf_keras

    assert keras.__version__.startswith("3.")
    assert tf_keras.__version__.startswith("2.")
    assert {"keras", "tf_keras"} == {name for name in read_random_state() if "keras" in name}


def sources() -> dict[str, tuple[Any, Any]]:
    import keras
    import tensorflow as tf

    bits = np.random.PCG64(4)
    return {
        "Random": (random.Random(1), lambda r: r.gauss(0, 1)),
        "Generator": (
            np.random.default_rng(2),
            lambda r: r.integers(9, size=3, dtype="u1").tolist(),
        ),
        "RandomState": (np.random.RandomState(3), lambda r: r.randn()),
        "BitGenerator": (bits, lambda r: r.random_raw()),
        "tf.Generator": (tf.random.Generator.from_seed(5), lambda r: float(r.normal([]))),
        "SeedGenerator": (keras.random.SeedGenerator(6), lambda r: r.next().numpy().tolist()),
    }


@pytest.mark.parametrize("kind", sorted(sources()))
def test_given_generators(kind: str) -> None:
    source, draw = sources()[kind]
    draw(source)
    assert is_random_source(source)
    with keeping_random_state([source]):
        first = [draw(source) for _ in range(5)]

    assert [draw(source) for _ in range(5)] == first
    assert [draw(source) for _ in range(5)] != first


def test_generators_that_spawn_give_the_same_children() -> None:
    source = np.random.default_rng(1)
    with keeping_random_state([source]):
        first = source.spawn(2)[1].random()

    assert source.spawn(2)[1].random() == first


def test_state_comes_back_after_an_error() -> None:
    source = random.Random(1)
    expected = random.Random(1).random()

    def draw_and_fail() -> None:
        with keeping_random_state([source]):
            source.random()
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        draw_and_fail()
    assert source.random() == expected


def test_other_things_are_refused() -> None:
    assert not is_random_source(random.SystemRandom())
    with pytest.raises(TypeError, match="Received list"):
        restore_of([1])
