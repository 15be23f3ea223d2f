"""What parent and child tell each other, as JSON files."""

from typing import Any, Literal

import msgspec

Device = Literal["gpu", "cpu"]
StepEnd = Literal["ran", "out of memory", "error", "no gpu"]


class SavedModel(msgspec.Struct, frozen=True, kw_only=True, tag="saved"):
    """A model as a file, compiled, and the data that it is trained on.

    Args:
        library: `keras` or `tf_keras`.
        data: As `data_specs.as_json` gives them.
    """

    file: str
    library: str
    data: Any


class Script(msgspec.Struct, frozen=True, kw_only=True, tag="script"):
    """A step that a command line names: the child makes it anew from the user's script.

    Args:
        module: What the child runs; it must know how to read the reference.
        reference: `train.py`, or `train.py:make`.
        fit: Which call of `fit`, counted from 1.
        arguments: What the script finds behind its name.
        options: Of `prepare`: what the command line sets beside what the script gives.
    """

    module: str
    reference: str
    fit: int = 1
    policy: str | None = None
    arguments: tuple[str, ...] = ()
    options: dict[str, str | int] = {}


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """One trial.

    Args:
        limit_mib: The memory that the step must do with; None: all that there is.
        batch_size: Of one GPU.
        answer: The file that the child writes its answer to.
    """

    step: SavedModel | Script
    device: Device
    limit_mib: int | None
    batch_size: int
    jit_compile: bool
    answer: str


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What came of it.

    Args:
        gpu: Its name.
        peak_bytes: Of the allocator, over all steps.
        error: What was raised, in words.
    """

    ended: StepEnd
    gpu: str = ""
    peak_bytes: int | None = None
    error: str = ""
