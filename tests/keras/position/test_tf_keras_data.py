from typing import Any

import numpy as np
import pytest

from fitguard.keras.position.exactness import assess_data

pytestmark = pytest.mark.soak


def arrays(**named: Any) -> Any:
    def make() -> Any:
        return (np.arange(22.0)[:, None], np.arange(22)), {"batch_size": 4, **named}

    return make


def dataset(seed: int | None = 5, **named: Any) -> Any:
    def make() -> Any:
        import tensorflow as tf

        numbers = tf.data.Dataset.range(22).map(lambda n: (n, n)).shuffle(22, seed=seed)
        return ((numbers.repeat() if named else numbers).batch(4),), named

    return make


def unknown_size() -> Any:
    import tensorflow as tf

    numbers = tf.data.Dataset.range(22).map(lambda n: (n, n)).shuffle(22, seed=5)
    return (numbers.filter(lambda n, _: n % 5 != 0).batch(4),), {}


def sequence(**named: Any) -> Any:
    def make() -> Any:
        import tf_keras

        class Rows(tf_keras.utils.Sequence):
            def __init__(self) -> None:
                self.rows = np.arange(20)

            def __len__(self) -> int:
                return 5

            def __getitem__(self, number: int) -> Any:
                rows = self.rows[4 * number : 4 * number + 4]
                return rows, rows

            def on_epoch_end(self) -> None:
                np.random.shuffle(self.rows)

        return (Rows(),), named

    return make


def generator() -> Any:
    def rows() -> Any:
        own = np.random.default_rng(4)
        while True:
            yield own.random(2), np.random.rand(2)

    return (rows(),), {"steps_per_epoch": 4}


KINDS = {
    "arrays": arrays(),
    "arrays in order": arrays(shuffle=False),
    "arrays, a part as validation": arrays(validation_split=0.2),
    "arrays, class weights": arrays(class_weight={n: n + 1.0 for n in range(22)}),
    "dataset": dataset(),
    "dataset without a seed": dataset(None),
    "endless dataset": dataset(steps_per_epoch=4),
    "dataset of unknown size": unknown_size,
    "sequence": sequence(),
    "sequence in order": sequence(shuffle=False),
    "generator": generator,
}


@pytest.mark.parametrize("make", KINDS.values(), ids=KINDS.keys())
def test_comes_back(player: Any, make: Any) -> None:
    data = player(make, library="tf_keras")
    whole = data.play()
    assert (whole.position.library, whole.position.inexact) == ("tf_keras", [])
    for place in [(0, 2), (1, 0), (2, 1)]:
        saved = whole.places[place]
        resumed = data.play(saved)
        assert resumed.seen == whole.seen[saved["total_steps"] :], place
        assert resumed.places[2, 1] == whole.places[2, 1]


@pytest.mark.parametrize("kind", ["arrays", "dataset", "dataset of unknown size"])
def test_with_a_seed_all_is_as_without_fitguard(player: Any, kind: str) -> None:
    seeded = player(KINDS[kind], library="tf_keras", seed=3)
    whole = seeded.play()
    assert whole.seen == seeded.plain()
    assert seeded.play(whole.places[2, 2]).seen == whole.seen[-len(seeded.plain()) // 3 + 2 :]


def test_batches_shuffled_need_a_seed(player: Any, comes_back: Any) -> None:
    make = arrays(shuffle="batch")
    assert player(make, library="tf_keras").play().position.inexact
    comes_back(player(make, library="tf_keras", seed=3), [(1, 2)])


def test_several_steps_an_execution(player: Any, comes_back: Any) -> None:
    several = player(arrays(), library="tf_keras", execution=4)
    whole = comes_back(several, [(0, 4), (1, 0)])
    assert sorted(whole.places)[:3] == [(0, 0), (0, 4), (0, 6)]


@pytest.mark.parametrize("place", [(0, 5), (1, 5)])
def test_the_end_of_data_of_unknown_size(player: Any, comes_back: Any, place: Any) -> None:
    comes_back(player(unknown_size, library="tf_keras"), [place])


@pytest.mark.soak
def test_two_workers(player: Any) -> None:
    """The queue of tf_keras waits five seconds at the end of each epoch."""
    make = sequence(shuffle=False, workers=2, max_queue_size=2)
    data = player(make, library="tf_keras")
    whole = data.play()
    for place in [(0, 2), (2, 1)]:
        saved = whole.places[place]
        assert data.play(saved).seen == whole.seen[saved["total_steps"] :], place


@pytest.mark.parametrize("shuffle", [True, False])
def test_workers_that_shuffle_are_said_to_be_inexact(shuffle: bool) -> None:
    from tf_keras.src.engine.data_adapter import KerasSequenceAdapter

    (rows,), _ = sequence()()
    adapter = KerasSequenceAdapter(rows, shuffle=shuffle, workers=2)
    exactness = assess_data(adapter, adapter.get_dataset(), seeded_orders=True, workers=True)
    assert any("once more" in sentence for sentence in exactness.inexact) is shuffle


def test_workers_that_read_a_generator_are_said_to_be_inexact() -> None:
    from tf_keras.src.engine.data_adapter import GeneratorDataAdapter

    (rows,), _ = generator()
    adapter = GeneratorDataAdapter(rows, workers=2)
    exactness = assess_data(adapter, adapter.get_dataset(), seeded_orders=True, workers=True)
    assert any("Several workers" in sentence for sentence in exactness.inexact)


def test_without_fitguards_hook_nothing_is_followed() -> None:
    """Evaluation and prediction have data handlers of their own."""
    import tf_keras

    from fitguard.keras.position import DataPosition, epoch_iterators

    calls: list[Any] = []
    position = DataPosition(lambda _, ahead: calls.append(ahead))
    model = tf_keras.Sequential([tf_keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    (x, y), named = arrays()()
    with epoch_iterators(lambda: position):
        model.fit(x, y, verbose=0, **named)
        during = len(calls)
        model.evaluate(x, y, verbose=0)
        model.predict(x, verbose=0)
    assert during == len(calls) == 7
