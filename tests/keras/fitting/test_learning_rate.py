"""The learning rate in what a run logs."""

from types import SimpleNamespace
from typing import Any

import keras
import pytest

from fitguard.keras.fitting.learning_rate import with_learning_rate

KEPT = {"loss": 1.0}


class Counting(keras.optimizers.schedules.LearningRateSchedule):
    """A schedule of the user's own, which would notice one more call."""

    calls = 0

    def __call__(self, _: Any) -> float:
        Counting.calls += 1
        return 0.5

    def get_config(self) -> dict[str, Any]:
        return {}


def logged(optimizer: Any) -> dict[str, float]:
    logs: dict[str, float] = with_learning_rate(KEPT, SimpleNamespace(optimizer=optimizer))
    return logs


def test_a_number_a_schedule_and_a_scaled_loss() -> None:
    schedule = keras.optimizers.schedules.ExponentialDecay(0.5, 10, 0.9)
    scaled = keras.optimizers.LossScaleOptimizer(keras.optimizers.SGD(0.5))
    for optimizer in (keras.optimizers.SGD(0.5), keras.optimizers.Adam(schedule), scaled):
        assert logged(optimizer) == {**KEPT, "learning_rate": 0.5}


def test_tf_keras() -> None:
    tf_keras = pytest.importorskip("tf_keras")
    schedule = tf_keras.optimizers.schedules.ExponentialDecay(0.5, 10, 0.9)
    for rate in (0.5, schedule):
        assert logged(tf_keras.optimizers.SGD(rate)) == {**KEPT, "learning_rate": 0.5}


def test_a_schedule_of_the_user_is_not_called() -> None:
    optimizer = keras.optimizers.SGD(Counting())
    before = Counting.calls
    assert logged(optimizer) == KEPT
    assert Counting.calls == before


@pytest.mark.parametrize("optimizer", [None, SimpleNamespace(), SimpleNamespace(get_config=dict)])
def test_what_cannot_be_read_is_left_out(optimizer: object) -> None:
    assert logged(optimizer) == KEPT
    assert with_learning_rate(None, None) is None


def test_what_keras_logged_stays() -> None:
    model = SimpleNamespace(optimizer=keras.optimizers.SGD(9.0))
    assert with_learning_rate({"learning_rate": 0.1}, model) == {"learning_rate": 0.1}
