"""`fitguard run --check`."""

from cli.process import fitguard

from fitguard.cli.checking_first import check_first
from fitguard.supervise.command import Command


def test_what_would_fail_is_not_started(tmp_path):
    (tmp_path / "train.py").write_text("open('started', 'a').write('x')\n{}['a']")
    done = fitguard("run", "--check", "train.py", cwd=tmp_path)
    assert done.returncode == 3
    assert "check: Training would fail: train.py raised KeyError: 'a'." in done.stderr
    assert "The training was not started." in done.stderr
    assert not (tmp_path / "fitguard-runs").exists()


def test_a_module_is_not_checked():
    said = []
    assert check_first(Command(python="python", target=("-m", "project.train")), (), said.append)
    assert said == ["-m project.train is not a script file, so it is not checked first."]
