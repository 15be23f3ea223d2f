"""The sbatch script of the documentation, under a real Slurm."""

import shutil
import sys
from pathlib import Path

import programs
import pytest
from guarded.harness import SCRIPTS, environment_in, run_plain
from guarded.results import difference
from guarded.slurm import Slurm

SCRIPT = "steps_per_execution.py"
EXAMPLE = Path(__file__).parents[2] / "examples/slurm.sh"


@pytest.mark.soak
def test_a_job_is_signalled_queued_again_and_ends_with_the_same_bits(tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    shutil.copy(SCRIPTS / SCRIPT, project / "train.py")
    text = EXAMPLE.read_text().replace("train.py", "train.py guarded.npz fast")
    (project / "slurm.sh").write_text(text.replace("#SBATCH --gres=gpu:1\n", ""))
    environment = environment_in(tmp_path, FITGUARD_RUN_SNAPSHOT_SECONDS="0.05")
    environment["PATH"] = f"{Path(sys.executable).parent}:{environment['PATH']}"
    try:
        slurm = Slurm(tmp_path / "slurm")
        job = slurm.call("sbatch", "--parsable", "slurm.sh", cwd=project, environment=environment)
        run = project / "fitguard-runs" / f"job-{job}"
        programs.wait_for(lambda: any(run.glob("snapshots/*.snapshot")))
        # As `--signal=USR1@120` sends it two minutes before the time limit.
        slurm.call("scancel", "--signal=USR1", job)
        programs.wait_for(lambda: slurm.state(job) == "PENDING 0:0 1")
        (project / "fast").touch()
        programs.wait_for(lambda: slurm.state(job) == "COMPLETED 0:0 1")
    finally:
        programs.end_all()
    said = (project / f"slurm-{job}.out").read_text()
    assert f"a new run, job-{job}." in said
    assert "SIGUSR1: the training takes a snapshot and stops, within 100 s." in said
    assert f"continues the run job-{job}. This is restart 1 of the Slurm job {job}." in said
    plain = run_plain(SCRIPT, tmp_path / "plain.npz")
    assert plain.code == 0, plain.text
    assert difference(tmp_path / "plain.npz", project / "guarded.npz") == ""
