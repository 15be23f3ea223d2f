"""`fitguard run` as a user calls it."""

import json
import sys

import pytest
from cli.process import fitguard

from fitguard.cli.run import delimit_command
from fitguard.monitor.run_folder import RunFolder
from fitguard.supervise.lock import locking_run

ARGUMENTS = "import sys; print(sys.argv[1:])"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("train.py --epochs 3 --help", "-- train.py --epochs 3 --help"),
        ("--quiet train.py --quiet", "--quiet -- train.py --quiet"),
        ("--micro-batch 8 train.py", "--micro-batch 8 -- train.py"),
        ("--micro-batch=8 train.py", "--micro-batch=8 -- train.py"),
        ("--allow jit-off --exact-only -m pkg", "--allow jit-off --exact-only -- -m pkg"),
        ("--runs a --runs-folder b x.py", "--runs a --runs-folder b -- x.py"),
        ("-- train.py -- -x", "-- train.py -- -x"),
        ("--resume train.py", "--resume= -- train.py"),
        ("--resume 20261115-142500-train-4f2a", "--resume=20261115-142500-train-4f2a"),
        ("--resume 20261115-1 train.py", "--resume=20261115-1 -- train.py"),
        ("--resume", "--resume="),
        ("--resume auto train.py", "--resume=auto -- train.py"),
        ("--resume=auto --name n1 train.py", "--resume=auto --name n1 -- train.py"),
        ("--resume n1 train.py", "--resume=n1 -- train.py"),
        ("--resume python3 train.py", "--resume= -- python3 train.py"),
        ("--resume -m pkg", "--resume= -- -m pkg"),
        ("--resume --quiet train.py", "--resume= --quiet -- train.py"),
        ("--profile train.py", "--profile=alerts -- train.py"),
        ("--profile=100 train.py", "--profile=100 -- train.py"),
        ("--help", "--help"),
        ("", ""),
    ],
)
def test_the_first_word_that_is_no_option_begins_the_command(words, expected):
    assert delimit_command(words.split()) == expected.split()


NOTHING = "fitguard: nothing was guarded: the script does not load Keras\n"


def test_all_behind_the_script_is_the_scripts_own(tmp_path):
    (tmp_path / "train.py").write_text(ARGUMENTS)
    done = fitguard("run", "train.py", "--epochs", "3", "--help", "--quiet", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "['--epochs', '3', '--help', '--quiet']\n"
    assert done.stderr.startswith(NOTHING)
    assert done.stderr.count("\n") == 2
    (folder,) = (tmp_path / "fitguard-runs").glob("2*")
    assert f"fitguard report {folder.name}" in done.stderr
    run = json.loads((folder / "run.json").read_bytes())
    assert run["command"] == ["train.py", "--epochs", "3", "--help", "--quiet"]


def test_python_before_the_script_and_a_folder_for_runs(tmp_path):
    (tmp_path / "train.py").write_text(ARGUMENTS)
    own = ("--quiet", "--runs-folder", "kept", "--disk", "20GB")
    done = fitguard("run", *own, sys.executable, "-u", "train.py", "x", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "['x']\n", NOTHING)
    (orders,) = (tmp_path / "kept").glob("2*/orders.json")
    assert json.loads(orders.read_bytes())["disk_bytes"] == 20_000_000_000


def test_a_module(tmp_path):
    (tmp_path / "trainer.py").write_text("print('module', __name__)")
    done = fitguard("run", "--quiet", "-m", "trainer", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "module __main__\n")


def test_help_has_examples():
    done = fitguard("run", "--help")
    assert done.returncode == 0
    assert "fitguard run train.py --epochs 30" in done.stdout
    assert "--exact-only" in done.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["missing.py"], "missing.py, which is no file"),
        (["bash", "train.sh"], "no Python script"),
        ([], "Received no command"),
        (["--micro-batch", "0", "train.py"], "Received --micro-batch 0. Expected a number above"),
        (["--disk", "much", "train.py"], "Expected a size such as"),
        (["--memory-limit", "half", "train.py"], "Received --memory-limit='half'. Expected a size"),
        (["--memory-limit", "8", "train.py"], "which is 8 bytes"),
        (["--grace-seconds", "-1", "train.py"], "Received --grace-seconds -1"),
        (["--grace-seconds", "nan", "train.py"], "Received --grace-seconds nan. Expected a number"),
        (["--lease-seconds", "1e12", "train.py"], "above 0, at most 1,000,000,000"),
        (["--python=/nonexistent", "train.py"], "/nonexistent, which is no program here"),
        (["--python=/bin/true", "train.py"], "--python /bin/true. Expected a Python interpreter"),
        (["--allow", "magic", "train.py"], "magic"),
        (["--epochs", "3", "train.py"], "--epochs"),
        (["--resume"], "holds no unfinished run"),
        (["--resume", "20200101-000000-train-0000"], "is no run in"),
        (["--preempt-signal", "SIGKILL", "train.py"], "Received --preempt-signal SIGKILL"),
        (["--preempt-exit-code", "0", "train.py"], "Received --preempt-exit-code 0. Expected 1 to"),
        (["--resume=auto"], "Received no command"),
        (["--name", "../up", "train.py"], "Received --name '../up'. Expected up to 64 letters"),
        (["--name", "auto", "train.py"], "--name auto, which means something else"),
        (["--name", "train.py", "train.py"], "--name train.py, which means something else"),
        (["--name", "a", "--resume=b", "train.py"], "--resume=b and --name a, which are two"),
    ],
)
def test_wrong_usage_is_told(tmp_path, words, said):
    (tmp_path / "train.py").write_text("print('trained')")
    done = fitguard("run", *words, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert said in done.stderr
    assert done.stdout == ""


def test_a_job_whose_run_is_guarded_elsewhere_may_come_again(tmp_path):
    (tmp_path / "train.py").write_text("raise SystemExit(9)")
    words = ("run", "--name", "n", "train.py")
    assert fitguard(*words, cwd=tmp_path).returncode == 9
    again = ("run", "--resume=auto", "--name", "n")
    with locking_run(RunFolder(tmp_path / "fitguard-runs" / "n")):
        assert fitguard(*again, "train.py", cwd=tmp_path).returncode == 75
        chosen = fitguard(*again, "--preempt-exit-code", "138", "train.py", cwd=tmp_path)
        refused = fitguard("run", "--resume", "--name", "n", "train.py", cwd=tmp_path)
    assert (chosen.returncode, refused.returncode) == (138, 2)
    assert "guards now" in chosen.stderr
    assert "guards now" in refused.stderr


def test_a_job_whose_run_is_finished_has_nothing_to_do(tmp_path):
    (tmp_path / "train.py").write_text("print('trained')")
    words = ("run", "--resume=auto", "--name", "n", "train.py")
    first, second = (fitguard(*words, cwd=tmp_path) for _ in range(2))
    assert (first.returncode, first.stdout) == (0, "trained\n")
    assert (second.returncode, second.stdout) == (0, "")
    assert "the run n is finished, and nothing is left to do" in second.stderr


def test_an_exception_of_the_script_ends_with_its_code_and_its_traceback(tmp_path):
    (tmp_path / "train.py").write_text("import sys\ndef f():\n    raise SystemExit(9)\nf()\n")
    done = fitguard("run", "train.py", cwd=tmp_path)
    assert done.returncode == 9
    assert "Attempt 1 ended itself with exit code 9" in done.stderr


@pytest.mark.parametrize("given", ["0", "-1", "soon", "1.5"])
def test_a_profile_needs_a_step(tmp_path, given):
    done = fitguard("run", f"--profile={given}", "train.py", cwd=tmp_path)
    assert done.returncode == 2
    assert f"Received --profile={given}. Expected --profile, or --profile=STEP" in done.stderr
