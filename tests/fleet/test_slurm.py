"""The sbatch script for a fleet, under a real Slurm of one node."""

import importlib.util
import os
import shutil
import sys
import tempfile
from pathlib import Path

import programs
import pytest
from fleet.started import end_tree, find_of
from guarded.results import difference
from guarded.slurm import Slurm

EXAMPLE = Path(__file__).parents[2] / "examples/fleet-slurm.sh"
JOBS = """
defaults: {memory: 200MiB, options: --snapshot-seconds 1}
jobs:
  - {name: one, run: small.py one.npz 2 100 go}
"""
SECONDS = 500


@pytest.fixture
def place():
    """For Ray: its sockets have short paths, and its processes end with the test."""
    folder = Path(tempfile.mkdtemp(prefix="fgs-", dir="/tmp"))
    yield folder
    for process in find_of(folder):
        end_tree(process.pid)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.soak
@pytest.mark.skipif(not importlib.util.find_spec("ray"), reason='needs pip install "fitguard[ray]"')
def test_a_fleet_is_signalled_queued_again_and_goes_on(tmp_path, scripts, train_plainly, place):
    project = tmp_path / "project"
    project.mkdir()
    scripts(project)
    (project / "jobs.yaml").write_text(JOBS)
    (project / "token").write_text("0123456789abcdef" * 4)
    (project / "fleet.sh").write_text(_fit_to_this_machine(EXAMPLE.read_text(), tmp_path, place))
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "FITGUARD_CARDS": "FakeA:300MiB",
        "RAY_AUTH_TOKEN_PATH": str(project / "token"),
        "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # loopback only
        "RAY_USAGE_STATS_ENABLED": "0",
    }
    for name in ("RAY_ADDRESS", "RAY_TMPDIR", "RAY_AUTH_TOKEN"):
        environment.pop(name, None)
    journal = tmp_path / "runs/one/journal.jsonl"
    try:
        slurm = Slurm(tmp_path / "slurm")
        job = slurm.call("sbatch", "--parsable", "fleet.sh", cwd=project, environment=environment)
        programs.wait_for(
            lambda: journal.exists() and '"event":"snapshot"' in journal.read_text(), SECONDS
        )
        # As `--signal=B:TERM@180` sends it three minutes before the time limit.
        slurm.call("scancel", "--batch", "--signal=TERM", job)
        programs.wait_for(lambda: slurm.state(job) == "PENDING 0:0 1", SECONDS)
        (project / "go").touch()
        programs.wait_for(lambda: slurm.state(job) == "COMPLETED 0:0 1", SECONDS)
    finally:
        said = "".join(one.read_text() for one in project.glob("slurm-*.out"))
        programs.end_all()
    assert "one waits again: was asked to leave" in said, said
    assert '"resumed":true' in journal.read_text()
    assert not difference(project / "one.npz", train_plainly(project, "one", "2", "100"))


def _fit_to_this_machine(text, folder, place):
    """One node without GPUs, its Ray on loopback, and no shared file system."""
    for before, after in (
        ("#SBATCH --nodes=4\n", "#SBATCH --nodes=1\n"),
        ("#SBATCH --gres=gpu:4\n", ""),
        ('head=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)', "head=127.0.0.1"),
        ('-w "$head" ', ""),
        ("--head --port", f"--head --num-gpus=1 --temp-dir={place} --port"),
        ("/shared/runs", str(folder / "runs")),
    ):
        assert before in text
        text = text.replace(before, after)
    return text
