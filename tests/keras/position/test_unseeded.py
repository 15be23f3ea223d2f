"""Shuffles of `tf.data` that the script does not seed."""

from pathlib import Path
from typing import Any

import pytest

from fitguard.contract.patching import patching
from fitguard.keras.position import seeding_wraps


def orders(dataset: Any, epochs: int = 2) -> list[list[Any]]:
    return [[element.numpy() for element in dataset] for _ in range(epochs)]


@pytest.fixture(autouse=True)
def no_seed() -> None:
    import tensorflow as tf

    tf.random.set_seed(None)


def shuffled(seed: int, finished: int = 0) -> list[list[Any]]:
    import tensorflow as tf

    with patching(seeding_wraps(seed, lambda: finished)):
        return orders(tf.data.Dataset.range(30).shuffle(30))


def test_the_same_run_draws_the_same_orders() -> None:
    assert shuffled(1) == shuffled(1)
    assert shuffled(1) != shuffled(2)
    assert shuffled(1) != shuffled(1, finished=1)


def test_each_epoch_and_each_dataset_has_an_order_of_its_own() -> None:
    import tensorflow as tf

    with patching(seeding_wraps(1)):
        first = orders(tf.data.Dataset.range(30).shuffle(30))
        second = orders(tf.data.Dataset.range(30).shuffle(30))
        fixed = orders(tf.data.Dataset.range(30).shuffle(30, reshuffle_each_iteration=False))
    assert first[0] != first[1]
    assert first[0] != second[0]
    assert fixed[0] == fixed[1]


def test_files_and_random_numbers(tmp_path: Path) -> None:
    import tensorflow as tf

    for number in range(20):
        (tmp_path / str(number)).touch()

    def drawn() -> Any:
        with patching(seeding_wraps(1)):
            files = tf.data.Dataset.list_files(str(tmp_path / "*"))
            return orders(files), orders(tf.data.Dataset.random().take(3))

    assert drawn() == drawn()


def test_a_seed_of_the_script_wins() -> None:
    import tensorflow as tf

    def drawn() -> list[list[Any]]:
        own = orders(tf.data.Dataset.range(30).shuffle(30, seed=4))
        tf.random.set_seed(6)
        return own + orders(tf.data.Dataset.range(30).shuffle(30))

    plain = drawn()
    tf.random.set_seed(None)
    with patching(seeding_wraps(1)):
        assert drawn() == plain


def test_inside_of_a_function_nothing_is_changed() -> None:
    """One seed for all calls would give each file the same order."""
    import tensorflow as tf

    with patching(seeding_wraps(1)):
        dataset = tf.data.Dataset.range(2).flat_map(lambda _: tf.data.Dataset.range(30).shuffle(30))
        (order,) = orders(dataset, 1)
    assert order[:30] != order[30:]
