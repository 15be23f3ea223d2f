"""What a node tells of its GPUs, and of the storage."""

import subprocess
import sys
from pathlib import Path

import pytest
from programs import wait_for

from fitguard.fleet.inspecting import inspect_node, mark_storage, select_visible, unmark_storage
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.hardware import Gpu

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


@pytest.mark.parametrize(
    ("value", "left"), [(None, [0, 1, 2, 3]), ("2,3", [2, 3]), ("GPU-c", [2]), ("", []), ("-1", [])]
)
def test_only_gpus_that_ray_was_started_with_are_cards(value, left):
    gpus = tuple(
        Gpu(index=number, uuid=f"GPU-{letter}", name="H200") for number, letter in enumerate("abcd")
    )
    environment = {} if value is None else {"CUDA_VISIBLE_DEVICES": value}
    with subprocess.Popen(["/bin/sleep", "60"], env=environment) as raylet:
        wait_for(lambda: b"sleep" in Path(f"/proc/{raylet.pid}/cmdline").read_bytes())
        kept = select_visible(gpus, raylet.pid)
        raylet.kill()
    assert [gpu.index for gpu in kept] == left
