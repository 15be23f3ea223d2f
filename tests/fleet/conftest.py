"""Scripts to train with, in a folder of their own; fleets that end with their test."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from fleet.buckets import Side
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
        if not fleet.stdout.closed:
            fleet.communicate()


@pytest.fixture
def train_plainly():
    """Runs `small.py` alone in a folder, and returns the file of its result."""

    def train(folder, name, *arguments):
        words = [sys.executable, "small.py", f"plain-{name}.npz", *arguments]
        subprocess.run(words, cwd=folder, check=True, capture_output=True)
        return folder / f"plain-{name}.npz"

    return train


@pytest.fixture
def there(tmp_path):
    """The folder behind `file://`."""
    return tmp_path / "bucket"


@pytest.fixture
def sides(tmp_path, there):
    """Two nodes that have nothing in common but the storage."""
    url = f"file://{there}"
    return Side(url, tmp_path / "one"), Side(url, tmp_path / "two")
