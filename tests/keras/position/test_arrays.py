from typing import Any

import numpy as np
import pytest


def rows(**named: Any) -> Any:
    def make() -> Any:
        return (np.arange(22.0)[:, None], np.arange(22)), {"batch_size": 4, **named}

    return make


def dictionaries() -> Any:
    x = {"a": np.arange(22.0)[:, None], "b": np.arange(22)}
    return (x, np.arange(22)), {"batch_size": 4, "sample_weight": np.arange(22.0)}


def data_frame() -> Any:
    import pandas

    return (pandas.DataFrame({"a": range(22), "b": range(22)}), np.arange(22)), {"batch_size": 4}


KINDS = {
    "shuffled": rows(),
    "in order": rows(shuffle=False),
    "batches shuffled": rows(shuffle="batch"),
    "with a validation split": rows(validation_split=0.2),
    "with class weights": rows(class_weight={n: n + 1.0 for n in range(22)}),
    "steps a part of the data": rows(steps_per_epoch=4),
    "dictionaries and sample weights": dictionaries,
    "a data frame": data_frame,
}


@pytest.mark.filterwarnings("ignore:Your input ran out of data")
@pytest.mark.parametrize("make", KINDS.values(), ids=KINDS.keys())
def test_comes_back_without_a_seed(player: Any, comes_back: Any, make: Any) -> None:
    whole = comes_back(player(make), [(0, 2), (1, 0), (2, 1)])
    assert whole.position.inexact == []
    assert not whole.position.draws_random


@pytest.mark.filterwarnings("ignore:Your input ran out of data")
@pytest.mark.parametrize("make", KINDS.values(), ids=KINDS.keys())
def test_with_a_seed_all_is_as_without_fitguard(player: Any, comes_back: Any, make: Any) -> None:
    seeded = player(make, seed=3)
    whole = comes_back(seeded, [(0, 3), (2, 2)])
    assert whole.seen == seeded.plain()


def test_each_epoch_and_each_fit_have_an_order_of_their_own(player: Any) -> None:
    seen = player(rows()).play().seen
    epochs = [seen[0:6], seen[6:12], seen[12:18]]
    for epoch in epochs:
        assert sorted(row for batch in epoch for row in batch[1]) == list(range(22))
    assert epochs[0] != epochs[1] != epochs[2] != epochs[0]


def test_a_last_batch_that_is_smaller_keeps_its_rows(player: Any) -> None:
    whole = player(rows()).play()
    assert [len(batch[1]) for batch in whole.seen[:6]] == [4, 4, 4, 4, 4, 2]


@pytest.mark.parametrize("take", [True, False])
def test_several_steps_an_execution(player: Any, comes_back: Any, take: bool) -> None:
    several = player(rows(), execution=4, take=take)
    whole = comes_back(several, [(0, 4), (1, 0), (2, 4)])
    assert sorted(whole.places)[:3] == [(0, 0), (0, 4), (0, 6)]
    assert whole.position.total_steps == 18


def test_at_the_end_of_an_epoch(player: Any, comes_back: Any) -> None:
    whole = comes_back(player(rows(validation_split=0.2)), [(0, 5), (2, 5)])
    assert whole.places[0, 5]["ended"] == "loop"


def test_interrupted_by_an_error_in_the_hook(player: Any) -> None:
    arrays = player(rows())
    whole = arrays.play()
    with pytest.raises(InterruptedError):
        arrays.play(stop=(1, 3))
    assert arrays.play(whole.places[1, 3]).seen == whole.seen[9:]


def test_an_early_stop_in_the_middle_of_an_epoch(player: Any) -> None:
    def make() -> Any:
        import keras

        class Stop(keras.callbacks.Callback):
            def on_train_batch_end(self, batch: int, logs: Any = None) -> None:  # noqa: ARG002
                self.model.stop_training = batch == 2

        arguments, named = rows()()
        return arguments, {**named, "callbacks": [Stop()]}

    whole = player(make).play()
    assert len(whole.seen) == 3
    assert (whole.position.epoch, whole.position.step) == (0, 3)
    assert whole.position.ended == "loop"


def test_without_the_seed_of_a_run_it_is_said() -> None:
    import keras
    import tensorflow as tf

    from fitguard.keras.position import DataPosition, epoch_iterators

    tf.random.set_seed(None)
    position = DataPosition(lambda _, __: None)
    model = keras.Sequential([keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    arguments, named = rows()()
    with epoch_iterators(lambda: position):
        model.fit(*arguments, **named, verbose=0)
    assert any("without a seed" in sentence for sentence in position.inexact)
    assert (position.library, position.steps_per_epoch, position.batch_size) == ("keras", 6, 4)
