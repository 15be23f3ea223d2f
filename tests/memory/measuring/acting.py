"""How the tests start `acted_step`."""

import os
from pathlib import Path

from fitguard.memory.measuring.request import Script

SURROUNDING = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}


def acted(how):
    """A step that acts as it is told."""
    return Script(module="acted_step", reference=how)
