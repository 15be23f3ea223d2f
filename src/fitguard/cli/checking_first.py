"""`fitguard run --check`: a look before the first step, as far as time allows."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fitguard.supervise.command import Command

LIMIT_SECONDS = 300.0
"""What takes longer is left, and the training starts."""


def check_first(command: "Command", allow: Sequence[str], say: Callable[[str], None]) -> bool:
    """Tell what `fitguard check` finds; whether the training should start.

    Args:
        allow: What the run may do though it changes results.
    """
    from fitguard.readiness.script import check_script
    from fitguard.readiness.verdict import would_be_cured

    if not command.target[0].endswith(".py"):
        say(f"{' '.join(command.target)} is not a script file, so it is not checked first.")
        return True
    report = check_script(
        command.target[0],
        command.arguments,
        python=command.python,
        limit_seconds=LIMIT_SECONDS,
    )
    say(f"check: {report.headline}.")
    for note in report.notes:
        say(f"check: {note}")
    starts = report.ok or would_be_cured(report, allow)
    for step in report.steps if not starts or not report.fits else ():
        say(f"check: {step.title}: {step.text}")
    if starts:
        return True
    say("The training was not started. To start it anyway, leave --check away.")
    return False
