"""Scripts to train with, in a folder of their own; fleets that end with their test."""

import shutil
from pathlib import Path

import pytest
from fleet.clusters import start_fleet

SCRIPTS = Path(__file__).parent / "scripts"


@pytest.fixture
def scripts():
    """Copies the scripts into a folder, and returns it."""

    def copy(folder):
        for script in SCRIPTS.glob("*.py"):
            shutil.copy(script, folder)
        return folder

    return copy


@pytest.fixture
def start():
    """Starts a fleet in a process, which does not outlive the test."""
    started = []

    def start_one(*words, **options):
        started.append(start_fleet(*words, **options))
        return started[-1]

    yield start_one
    for fleet in started:
        fleet.kill()
        fleet.communicate()
