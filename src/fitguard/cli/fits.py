"""Which call of `fit` a command looks at."""

import contextlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from fitguard.cli.console import complain
from fitguard.cli.whole_numbers import WHOLE
from fitguard.schema.exit_codes import UsageError

if TYPE_CHECKING:
    from fitguard.memory.fit_call import FitCall
    from fitguard.schema.check import CheckedFit, CheckReport
    from fitguard.schema.finding import Finding

Fit = Annotated[
    int | Literal["all"],
    WHOLE,
    Parameter(help="Which call of fit: 2 for the second one of the script, or all."),
]


def require_number(fit: int | Literal["all"]) -> int | None:
    """The number of the call; None for all.

    Raises:
        UsageError: for 0 and below.
    """
    if fit != "all" and fit < 1:
        raise UsageError(f"Received --fit {fit}. Expected 1, 2, … or all")
    return None if fit == "all" else fit


def here_again() -> contextlib.AbstractContextManager[None]:
    """The script may change the folder: its data are read there, and the answer is written here."""
    return contextlib.chdir(Path.cwd())


def read_one_fit(
    command: str,
    script: str,
    arguments: tuple[str, ...],
    number: int,
    policy: str | None = None,
) -> "FitCall":
    """The call with this number; what the user should know of it goes to stderr.

    Args:
        command: `data` or `plan`, for hints.
    """
    from fitguard.cli.progress import waiting
    from fitguard.memory.dtype_policy import require_policy, set_policy
    from fitguard.memory.fit_call import names_function, other_lines, read_fit

    file = Path(script).absolute()

    def prepare() -> None:
        if policy is not None:
            set_policy(policy)

    with waiting("Loading the model"):
        call = read_fit(script, arguments, prepare, number=number, command=f"fitguard {command}")
        if policy is not None:
            require_policy(call.model, policy, script)
    for note in call.notes:
        complain(note)
    others = [] if names_function(script) else other_lines(file, call)
    if others:
        complain(
            f"This is the {call.method} call in line {call.line}. The script has others in line "
            f"{', '.join(map(str, others))}: --fit all looks at each."
        )
    return call


def look_at_all_fits(
    command: str,
    script: str,
    arguments: tuple[str, ...],
    policy: str | None,
    look: Callable[["FitCall"], dict[str, Any]],
) -> "CheckReport":
    """One part of the check, for each call of `fit` that the script makes.

    Args:
        command: `data` or `plan`, for hints.
        look: Gives the `data` or the `plan` of a call.
    """
    from fitguard.readiness.checking import describe_fit
    from fitguard.readiness.script import training_command
    from fitguard.readiness.verdict import compose_report
    from fitguard.readiness.visiting import look_at_fits

    fits: list[CheckedFit] = []
    with here_again():
        left = look_at_fits(
            script,
            arguments,
            lambda call: fits.append(describe_fit(call, **look(call))),
            policy,
            command=f"fitguard {command}",
        )
    return compose_report(
        fits=fits,
        command=training_command(script, arguments),
        notes=left.notes,
        missed=left.missed,
        script=script,
    )


def findings_of_fits(fits: Iterable["CheckedFit"]) -> "list[Finding]":
    """What was found in the data of all of them."""
    return [finding for fit in fits if fit.data is not None for finding in fit.data.findings]
