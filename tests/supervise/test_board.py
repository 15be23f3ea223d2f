"""`fitguard run --tensorboard`, read with TensorBoard's own reader."""

import subprocess
import sys

import pytest
from supervise.parents import Parent
from supervise.test_notifying import DIES_ONCE

pytest.importorskip("tensorboard")

READ = """
import sys
sys.modules["tensorflow"] = None
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
found = EventAccumulator(sys.argv[1]).Reload()
for tag in found.Tags()["tensors"]:
    print(tag, *(event.step for event in found.Tensors(tag)))
"""


def test_scalars_go_on_across_attempts(tmp_path):
    parent = Parent(tmp_path, DIES_ONCE, tensorboard="board")
    assert parent.ended() == 0, parent.err
    assert "failed" not in parent.err
    assert len(list((tmp_path / "board").iterdir())) == 1
    done = subprocess.run(
        [sys.executable, "-c", READ, "board"], cwd=tmp_path, capture_output=True, check=True
    )
    curves = dict(line.split(maxsplit=1) for line in done.stdout.decode().splitlines())
    steps = [int(step) for step in curves["fitguard/host_bytes"].split()]
    assert steps == sorted(set(steps))
    assert steps[0] > 0


def test_a_folder_that_cannot_be_written_is_said_and_costs_nothing(tmp_path):
    (tmp_path / "board").write_text("a file")
    parent = Parent(tmp_path, DIES_ONCE, tensorboard="board")
    assert parent.ended() == 0
    assert "--tensorboard failed: " in parent.err
