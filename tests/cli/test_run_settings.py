"""Options of `fitguard run` in the environment and in pyproject.toml."""

import os

import pytest
from cli.process import fitguard

FILE = """
[tool.fitguard.run]
name = "of-the-file"
snapshot-seconds = 60
hang-seconds = 400
quiet = true
allow = ["jit-off"]
"""


@pytest.fixture
def project(tmp_path):
    (tmp_path / "train.py").write_text("print('trained')")
    (tmp_path / "pyproject.toml").write_text(FILE)
    return tmp_path


def test_the_command_line_comes_before_the_environment_and_that_before_the_file(project):
    below = project / "below"
    below.mkdir()
    (below / "train.py").write_text("print('trained')")
    variables = {
        "FITGUARD_RUN_NAME": "of-the-environment",
        "FITGUARD_RUN_SNAPSHOT_SECONDS": "50",
        "FITGUARD_RUN_PREEMPT_SIGNAL": "USR1 USR2",
    }
    words = ("run", "--verbose", "--snapshot-seconds", "40", "train.py")
    done = fitguard(*words, cwd=below, **variables)
    assert (done.returncode, done.stdout) == (0, "trained\n"), done.stderr
    assert (below / "fitguard-runs" / "of-the-environment").is_dir()
    file = project / "pyproject.toml"
    said = done.stderr.splitlines()
    for line in (
        "--name is of-the-environment, from FITGUARD_RUN_NAME",
        "--snapshot-seconds is 40, from the command line",
        f"--hang-seconds is 400, from {file}",
        f"--allow is jit-off, from {file}",
        f"--quiet is True, from {file}",
        "--preempt-signal is USR1 USR2, from FITGUARD_RUN_PREEMPT_SIGNAL",
        "--grace-seconds is left at its default",
    ):
        assert f"fitguard: {line}" in said


@pytest.mark.parametrize(
    ("old", "new", "code", "said"),
    [
        ("hang-seconds", "hang-second", 5, "Received hang-second. Expected options of fitguard"),
        ("hang-seconds = 400", 'hang-seconds = "long"', 2, 'unable to convert "long"'),
        ("hang-seconds = 400", "hang-seconds = -1", 2, "Received --hang-seconds -1"),
        ('["jit-off"]', '["magic"]', 2, 'Choose from: "batch-statistics", "jit-off"'),
        ("[tool.fitguard.run]", "[tool]\nfitguard.run = 3", 5, "pyproject.toml"),
    ],
)
def test_what_is_wrong_in_the_file_is_told(project, old, new, code, said):
    (project / "pyproject.toml").write_text(FILE.replace(old, new))
    done = fitguard("run", "train.py", cwd=project)
    assert (done.returncode, done.stdout) == (code, "")
    assert said in done.stderr


def test_a_file_that_is_not_utf8_is_told(project):
    (project / "pyproject.toml").write_bytes(FILE.encode("utf-16"))
    done = fitguard("run", "train.py", cwd=project)
    assert (done.returncode, done.stdout) == (5, "")
    assert "Expected UTF-8, as TOML is" in done.stderr


def test_a_variable_that_belongs_to_no_option_is_told(project):
    done = fitguard("run", "train.py", cwd=project, FITGUARD_RUN_SNAPSHOTS="3")
    assert (done.returncode, done.stdout) == (2, "")
    assert "Received the variable FITGUARD_RUN_SNAPSHOTS" in done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_program_is_not_taken_from_a_file_of_another_user(project):
    (project / "pyproject.toml").write_text('[tool.fitguard.run]\npython = "./evil"\n')
    os.chown(project / "pyproject.toml", 12345, 12345)
    done = fitguard("run", "train.py", cwd=project)
    assert done.returncode == 5
    assert "python decides which program runs, and the file belongs to another user" in done.stderr


def test_addresses_of_webhooks_are_not_shown_and_a_line_of_the_variable_is_one_target(project):
    hidden = "https://hooks.slack.com/services/T0/B0/hidden"
    (project / "train.py").write_text("import os; print('trained', *os.environ)")
    targets = f"touch one && touch two\n{hidden}"
    variables = {"FITGUARD_RUN_NOTIFY": targets, "https_proxy": "http://127.0.0.1:1"}
    done = fitguard("run", "--verbose", "train.py", cwd=project, **variables)
    assert done.returncode == 0, done.stderr
    assert "trained" in done.stdout
    assert "FITGUARD_RUN_NOTIFY" not in done.stdout
    assert "--notify is set, from FITGUARD_RUN_NOTIFY" in done.stderr
    assert "target 2 (a webhook) failed: Connection refused." in done.stderr
    assert "hidden" not in done.stderr
    assert {"one", "two"} <= {path.name for path in project.iterdir()}


def test_an_address_of_another_kind_is_refused_and_not_shown(project):
    done = fitguard("run", "--notify", "slack://hidden", "train.py", cwd=project)
    assert done.returncode == 2
    assert "begins with slack://. Expected https://HOST" in done.stderr
    assert "hidden" not in done.stderr
