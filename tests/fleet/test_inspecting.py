"""What a node tells of the storage."""

import subprocess
import sys

import pytest

from fitguard.fleet.inspecting import inspect_node, mark_storage, unmark_storage
from fitguard.schema.exit_codes import UsageError

NO_ROOM = """
import resource, sys
from fitguard.fleet.inspecting import mark_storage
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
mark_storage(sys.argv[1])
"""


def test_a_mark_is_seen_and_goes_again(tmp_path):
    storage = mark_storage(str(tmp_path / "runs"))
    assert "does not see" not in inspect_node(storage).problem
    unmark_storage(storage)
    assert "does not see" in inspect_node(storage).problem


def test_a_storage_that_takes_no_bytes_is_told_at_the_start(tmp_path):
    words = [sys.executable, "-c", NO_ROOM, str(tmp_path)]
    ended = subprocess.run(words, capture_output=True, text=True, timeout=200)
    assert f"UsageError: Received --storage {tmp_path}: File too large on" in ended.stderr
    assert not list(tmp_path.iterdir())


def test_a_file_in_place_of_the_storage(tmp_path):
    (tmp_path / "runs").touch()
    with pytest.raises(UsageError, match="Expected a folder that all nodes see and can write to"):
        mark_storage(str(tmp_path / "runs"))
