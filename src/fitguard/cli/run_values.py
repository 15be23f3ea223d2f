"""Values of options of `fitguard run`, and those that are refused."""

from fitguard.schema.exit_codes import UsageError

ON_ALERTS = "alerts"
"""In place of a step."""
_MOST = 10**9
"""Thirty years, where it is seconds."""


def read_profile(given: str | None) -> int | None:
    """The step to trace; 0 for none but those that alerts ask for; None for none at all.

    Raises:
        UsageError: where it is no step.
    """
    if given is None or given == ON_ALERTS:
        return None if given is None else 0
    if not given.isdecimal() or int(given) == 0:
        raise UsageError(
            f"Received --profile={given}. Expected --profile, or --profile=STEP with the number of "
            "a step"
        )
    return int(given)


def require_positive(**given: float | None) -> None:
    """Numbers of options, by their names.

    Raises:
        UsageError: where one is none that can be meant.
    """
    for name, value in given.items():
        if value is not None and not 0 < value <= _MOST:
            option = f"--{name.replace('_', '-')}"
            raise UsageError(
                f"Received {option} {value:g}. Expected a number above 0, at most {_MOST:,}"
            )
