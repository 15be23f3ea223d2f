"""`check_data` without haste: a slow machine must not see less."""

from typing import Any

import fitguard


def check_all(*data: Any, **more: Any) -> Any:
    """The report on data that were read to the end."""
    return fitguard.check_data(*data, full=True, **more)
