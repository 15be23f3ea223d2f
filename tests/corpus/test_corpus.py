"""Killed at random moments, a training ends as if nothing had been, or it was said at the start.

.venv/bin/python scripts/corpus.py --only early_stopping --kills 1 2 3
.venv/bin/pytest -m soak tests/corpus
"""

import subprocess
import sys
from pathlib import Path

import pytest
from corpus.cases import read_cases
from corpus.environments import can_run
from corpus.forking import ForkServer
from corpus.running import try_case

SCRIPT = Path(__file__).parent.parent.parent / "scripts/corpus.py"
PAIRS = ("py3.11-tf2.13.1", "py3.11-tf2.17.1", "py3.11-tf2.21.0")
"""The oldest, the middle and the newest; environments of `make matrix`."""
HERE = [case for case in read_cases() if can_run(case, sys.executable)]


@pytest.fixture(scope="module")
def server():
    with ForkServer() as server:
        yield server


# By their names, in which the topic comes first, so some of each topic are among them.
@pytest.mark.parametrize("case", HERE[::6], ids=lambda case: case.name)
def test_a_killed_training_is_the_same_or_announced(case, server, tmp_path):
    outcome = try_case(case, server, tmp_path, [1], seed="1")
    assert outcome.is_good, f"{outcome.verdict}: {outcome.why}"


@pytest.mark.soak
@pytest.mark.parametrize("pair", PAIRS)
def test_all_of_the_corpus(pair, capsys):
    command = [sys.executable, str(SCRIPT), "--pair", pair, "--jobs", "2"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    with capsys.disabled():
        print(f"\n{pair}\n{done.stdout}")  # noqa: T201
    assert done.returncode == 0, "some are silent, late, broken, or false alarms: see the table"
