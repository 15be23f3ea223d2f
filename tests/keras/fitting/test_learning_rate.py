"""The learning rate in what a run logs."""

from types import SimpleNamespace

import pytest

from fitguard.keras.fitting.learning_rate import with_learning_rate


def test_optimizers_of_keras_with_a_number_and_with_a_schedule() -> None:
    keras = pytest.importorskip("keras")
    schedule = keras.optimizers.schedules.ExponentialDecay(0.5, 10, 0.9)
    for rate in (0.5, schedule):
        model = SimpleNamespace(optimizer=keras.optimizers.SGD(rate))
        assert with_learning_rate({"loss": 1.0}, model) == {"loss": 1.0, "learning_rate": 0.5}


def test_a_schedule_as_older_releases_give_it() -> None:
    optimizer = SimpleNamespace(learning_rate=lambda step: step / 10, iterations=2)
    assert with_learning_rate({}, SimpleNamespace(optimizer=optimizer)) == {"learning_rate": 0.2}


@pytest.mark.parametrize("optimizer", [None, SimpleNamespace(), SimpleNamespace(learning_rate="?")])
def test_what_cannot_be_read_is_left_out(optimizer: object) -> None:
    assert with_learning_rate({"loss": 1.0}, SimpleNamespace(optimizer=optimizer)) == {"loss": 1.0}
    assert with_learning_rate(None, None) is None


def test_what_keras_logged_stays() -> None:
    model = SimpleNamespace(optimizer=SimpleNamespace(learning_rate=9.0))
    assert with_learning_rate({"learning_rate": 0.1}, model) == {"learning_rate": 0.1}
