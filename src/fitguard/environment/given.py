"""What-if keys, and where each of their values is known from."""

from collections.abc import Mapping


class Given(dict[str, str]):
    """Values by key.

    Args:
        origins: Where a value is known from, by key; what is not in it the user said.
    """

    def __init__(self, values: Mapping[str, str], origins: Mapping[str, str] | None = None) -> None:
        super().__init__(values)
        self._origins = origins or {}

    def origin(self, key: str) -> str:
        """What evidence cites for the value of a key."""
        return self._origins.get(key) or f"--what-if {key}={self[key]}"
