"""What the process that checks a script is asked, and what it answers."""

from typing import Literal

import msgspec

from fitguard.readiness.kernel import FitKernels
from fitguard.schema.check import CheckedFit

Task = Literal["check", "kernels"]
"""What is wanted of each `fit`: whether it would run, or the kernels that it runs on."""
COMMANDS: dict[Task, str] = {"check": "fitguard check", "kernels": "fitguard probe --like"}
"""What is typed in front of the script."""


class FitOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How each `fit` is looked at.

    Args:
        batch_size: In place of the script's own.
        policy: The dtype policy that is set before the model is built.
        gpu, gpu_memory, free: The card, as `fitguard.plan` takes them.
        gpus: How many the training will see; while it is looked at, they are hidden.
        budget_seconds, full: For reading data, as `fitguard.check_data` takes them.
        ignore: Codes of checks that are left out.
    """

    batch_size: int | None = None
    policy: str | None = None
    gpu: str | None = None
    gpu_memory: int | None = None
    free: int | None = None
    gpus: int = 0
    budget_seconds: float = 2.0
    full: bool = False
    ignore: tuple[str, ...] = ()


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """One script to look at.

    Args:
        reference: FILE.py or FILE.py:FUNCTION.
        arguments: Of the script itself.
        answers: The file to which `Answer`s are added, one JSON document in each line.
    """

    reference: str
    arguments: tuple[str, ...] = ()
    task: Task = "check"
    options: FitOptions = FitOptions()
    answers: str


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """A call that was looked at, or how the script ended.

    Args:
        failure: Why no call was reached, where the training would not reach it either.
        unreached: Why no call was reached, where nothing is wrong.
        refusal: What is wrong with the function that was named.
        notes: What was not looked at, one sentence each.
        missed: Lines of the script that call `fit`, and were not looked at.
    """

    fit: CheckedFit | None = None
    kernels: FitKernels | None = None
    failure: str = ""
    unreached: str = ""
    refusal: str = ""
    notes: tuple[str, ...] = ()
    missed: tuple[int, ...] = ()

    @property
    def line(self) -> int | None:
        """Of the call that was looked at."""
        looked = self.fit or self.kernels
        return None if looked is None else looked.line
