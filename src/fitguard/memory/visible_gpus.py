"""Planning runs on the CPU, wherever it runs; only a measurement sees the GPUs."""

from collections.abc import Mapping, MutableMapping

VISIBLE = "CUDA_VISIBLE_DEVICES"
KEPT = "FITGUARD_CUDA_VISIBLE_DEVICES"
"""Holds what the user had set, while this process does not see it."""

_UNSET = "unset"


def hide_gpus(environment: MutableMapping[str, str]) -> None:
    """Let TensorFlow, which must not be imported yet, see no GPU in this environment."""
    environment.setdefault(KEPT, environment.get(VISIBLE, _UNSET))
    environment[VISIBLE] = "-1"


def with_gpus(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment as it was before `hide_gpus`, for a child that measures."""
    shown = dict(environment)
    kept = shown.pop(KEPT, None)
    if kept == _UNSET:
        shown.pop(VISIBLE, None)
    elif kept is not None:
        shown[VISIBLE] = kept
    return shown
