"""Variables that a run may set for its training: those of its remedies, and no others."""

import re
from collections.abc import Mapping

_VALUE = re.compile(r"[\w.,:-]*")


def select_allowed_variables(environment: Mapping[str, str]) -> dict[str, str]:
    """Those that a remedy can have set. A file of the run folder may say anything: a `PYTHONPATH`
    there would be code."""
    if not environment:
        return {}
    # Loaded only now: a run without a fault needs none of the policy.
    from fitguard.environment.machine import DEVICE_ORDER, VISIBLE_DEVICES
    from fitguard.knowledge import knowledge

    rows = knowledge().policy.table.rows
    allowed = {name for row in rows for remedy in row.tries for name in remedy.environment}
    allowed.update((VISIBLE_DEVICES, DEVICE_ORDER))
    return {
        name: value
        for name, value in environment.items()
        if name in allowed and _VALUE.fullmatch(value)
    }
