"""Trains models that only write down the batches they see: whole, and resumed from anywhere."""

import gc
import importlib
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from fitguard.contract.patching import patching
from fitguard.keras.position import DataPosition, epoch_iterators, pass_finished, seeding_wraps

RUN_SEED = 7


@dataclass
class Played:
    """What one training saw.

    Args:
        seen: A batch each step.
        validated: Likewise of validation, by epoch.
        places: What `read` gave before each step, by epoch and step.
    """

    position: DataPosition
    seen: list[Any] = field(default_factory=list)
    validated: list[Any] = field(default_factory=list)
    places: dict[tuple[int, int], dict[str, Any]] = field(default_factory=dict)


class Player:
    """Trains one kind of data.

    Args:
        library: `keras` or `tf_keras`.
        make: What is given to `fit`: a tuple of arguments and a dictionary of named ones.
        seed: What the script gives `tf.random.set_seed`; None if it does not call it.
        execution: Steps in one call of the train function.
        take: Whether the hook takes each batch in hand.
    """

    def __init__(
        self,
        make: Callable[[], tuple[tuple[Any, ...], dict[str, Any]]],
        *,
        library: str = "keras",
        seed: int | None = None,
        execution: int = 1,
        take: bool = True,
    ) -> None:
        self._make = make
        self._keras = importlib.import_module(library)
        self._seed = seed
        self._execution = execution
        self._take = take

    def plain(self) -> list[Any]:
        """What is seen without fitguard."""
        played = Played(DataPosition(lambda _, __: None))
        self._seeds()
        arguments, named = self._make()
        self._model(played).fit(*arguments, **{"epochs": 3, "verbose": 0, **named})
        return played.seen

    def play(self, saved: dict[str, Any] | None = None, *, stop: Any = None) -> Played:
        """Train in what stands for a new process."""
        self._seeds()
        played = Played(DataPosition(lambda _, __: None))
        position = played.position = DataPosition(
            lambda position, ahead: self._between(played, position, ahead, stop),
            initial_epoch=0,
            saved=saved,
            seed=RUN_SEED,
        )
        with patching(seeding_wraps(RUN_SEED)), epoch_iterators(lambda: position):
            arguments, named = self._make()
            named = {"epochs": 3, "verbose": 0, **named}
            first = saved["epoch"] if saved else 0
            self._model(played).fit(*arguments, **named, initial_epoch=first)
        return played

    def _seeds(self) -> None:
        """As the bootstrap and the script do it."""
        import numpy as np
        import tensorflow as tf

        gc.collect()  # Threads of an earlier training may still read ahead, and draw.
        random.seed(RUN_SEED)
        np.random.seed(RUN_SEED)
        tf.random.set_seed(self._seed)

    def _between(self, played: Played, position: Any, ahead: Any, stop: Any) -> None:
        played.over = ahead is not None and ahead.over  # type: ignore[attr-defined]
        if ahead is not None and self._take:
            ahead.take()
        place = (position.epoch, position.step)
        played.places[place] = json.loads(json.dumps(position.read()))
        if place == stop:
            raise InterruptedError

    def _model(self, played: Played) -> Any:
        import tensorflow as tf

        def train_step(_model: Any, data: Any) -> dict[str, Any]:
            played.seen.append(_plain(data))
            return {"loss": tf.constant(0.0)}

        def validation_step(_model: Any, data: Any) -> dict[str, Any]:
            played.validated.append(_plain(data))
            return {"loss": tf.constant(0.0)}

        def make_train_function(model: Any, force: bool = False) -> Any:
            self._keras.Model.make_train_function(model, force)
            own = model.train_function

            def train(iterator: Any) -> Any:
                if getattr(played, "over", False):
                    return {"loss": 0.0}
                return own(iterator)

            model.train_function = train
            return train

        kind = type(
            "Seeing",
            (self._keras.Model,),
            {
                "call": lambda _, x: x,
                "train_step": train_step,
                "test_step": validation_step,
                "make_train_function": make_train_function,
            },
        )
        model = kind()
        model.compile("sgd", "mse", run_eagerly=True, steps_per_execution=self._execution)
        return model


def _plain(batch: Any) -> list[Any]:
    import tensorflow as tf

    return [
        tensor.numpy().tolist() for tensor in tf.nest.flatten(batch) if hasattr(tensor, "numpy")
    ]


def _comes_back(player: Player, places: list[tuple[int, int]]) -> Played:
    """Resumed at each of the places, the training sees the rest, and passes the same places."""
    whole = player.play()
    assert len(whole.seen) == whole.position.total_steps
    for place in places:
        saved = whole.places[place]
        resumed = player.play(saved)
        assert resumed.seen == whole.seen[saved["total_steps"] :], place
        later = {at: read for at, read in whole.places.items() if at >= place}
        assert resumed.places == later, place
    return whole


@pytest.fixture(scope="module", autouse=True)
def little_to_collect() -> Iterator[None]:
    """Leave the modules of TensorFlow out of each collection: that alone takes half a second."""
    import keras  # noqa: F401
    import tf_keras  # noqa: F401

    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture
def player() -> type[Player]:
    return Player


@pytest.fixture
def comes_back() -> Callable[[Player, list[tuple[int, int]]], Played]:
    return _comes_back


@pytest.fixture
def assert_two_fits_can_share(player: Any) -> Any:
    """A second `fit` goes on with data of a finished one that another process has read."""

    def check(make: Callable[[], Any]) -> None:
        kept: list[Any] = []

        def first() -> Any:
            kept[:] = [make()]
            return (kept[0],), {"shuffle": False}

        def second() -> Any:
            return (kept[0],), {"shuffle": False}

        end = player(first).play().position.read_end()
        undisturbed = player(second).play().seen
        first()
        assert pass_finished(kept[0], end) == []
        assert player(second).play().seen == undisturbed

    return check
