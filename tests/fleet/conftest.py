"""Scripts to train with, in a folder of their own."""

import shutil
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parent / "scripts"


@pytest.fixture
def scripts():
    """Copies the scripts into a folder, and returns it."""

    def copy(folder):
        for script in SCRIPTS.glob("*.py"):
            shutil.copy(script, folder)
        return folder

    return copy
