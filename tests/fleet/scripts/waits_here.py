"""Functions for tests of what goes over by name."""


def wait(out, lr=0.1, deep=None):
    """Nothing."""


class Waits:
    """Its method is found by two names."""

    def wait(self):
        """Nothing."""


async def wait_async():
    """Nobody would wait for it."""


def wait_by_parts():
    """Nothing would happen."""
    yield
