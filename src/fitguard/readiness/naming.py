"""Checkpoints whose files could not be named: Keras would say so only after the first epoch."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from fitguard.contract.libraries import is_a, is_of_keras
from fitguard.inputs.models.asking import ask, name_of
from fitguard.inputs.models.kinds import sublayers
from fitguard.inputs.models.step import is_defined_by_user
from fitguard.memory.fit_call import FitCall

_LOGGING = (
    *("fit", "train_step", "test_step", "make_train_function"),
    *("metrics", "compute_metrics", "get_metrics_result"),
)
"""Where a model has its own of these, only it knows what is logged."""
_LOG_LEARNING_RATE = ("LearningRateScheduler", "ReduceLROnPlateau")


def find_unnamable(call: FitCall, callbacks: Sequence[Any]) -> Iterator[str]:
    """What would fail; then, in a line of its own, what to do.

    Where the names of the logs cannot be known, nothing is said.
    """
    if not _has_known_logs(call, callbacks):
        return
    for callback in callbacks:
        if is_a(callback, "ModelCheckpoint"):
            logs = _Logs(call, callbacks, callback)
            if why := _why_not(str(callback.filepath), logs):
                yield (
                    f"ModelCheckpoint cannot name its file {callback.filepath}: {why}\n"
                    f"It can use {', '.join(logs.list_names())}."
                )


def _has_known_logs(call: FitCall, callbacks: Sequence[Any]) -> bool:
    own_layers = [
        layer
        for layer in (call.model, *sublayers(call.model))
        if not is_of_keras(type(layer)) and not getattr(layer, "built", False)
    ]
    return (
        bool(call.metrics)
        and not own_layers  # they may make metrics when they are built
        and not any(is_defined_by_user(call.model, name) for name in _LOGGING)
        and all(is_of_keras(type(one)) and not is_a(one, "LambdaCallback") for one in callbacks)
    )


class _Logs(dict[str, Any]):
    """What a file can be named by, with numbers of the kinds that Keras gives."""

    def __init__(self, call: FitCall, callbacks: Sequence[Any], checkpoint: Any) -> None:
        after_epoch = checkpoint.save_freq == "epoch"
        super().__init__({"epoch": 1} if after_epoch else {"epoch": 1, "batch": 1})
        self._metrics = list(call.metrics)
        if any(is_a(one, *_LOG_LEARNING_RATE) for one in callbacks):
            self._metrics += ["learning_rate", "lr"]
        self._others = [*self._metrics, *map(name_of, ask(lambda: call.model.metrics, ()))]
        self._has_validation = after_epoch and _validates_first(call.arguments, checkpoint)

    def __missing__(self, name: str) -> float:
        plain = name if name in self._others else name.removeprefix("val_")
        # Keras puts the name of the output in front, a number behind, and spells some anew.
        is_metric = _spell(plain).endswith(tuple(map(_spell, self._others)))
        if not is_metric or (plain != name and not self._has_validation):
            raise KeyError(name)
        return 0.5

    def list_names(self) -> list[str]:
        """Those to tell the user."""
        validated = [f"val_{name}" for name in self._metrics] if self._has_validation else []
        return [*self, *self._metrics, *validated]


def _spell(name: str) -> str:
    return re.sub(r"_?\d*$", "", name).replace("_", "").lower()


def _validates_first(arguments: dict[str, Any], checkpoint: Any) -> bool:
    """Whether there are numbers of validation when the first file is written."""
    if arguments.get("validation_data") is None and not arguments.get("validation_split"):
        return False
    every = arguments.get("validation_freq") or 1
    return not isinstance(every, int) or every <= getattr(checkpoint, "period", 1)


def _why_not(path: str, logs: _Logs) -> str:
    try:
        path.format_map(logs)
    except KeyError as error:
        return f"the logs will have no {error.args[0]}"
    except ValueError as error:
        return str(error)
    except (TypeError, AttributeError):  # of a metric that is no number
        return ""
    return ""
