"""`fitguard watch --metrics`, as a process."""

import re
import signal
import subprocess
import sys
import urllib.request

import programs
import pytest
from cli.process import fitguard
from monitor.prometheus.test_serving import make_run
from programs import wait_for


def test_all_runs_of_a_folder_are_served_until_ctrl_c(tmp_path):
    (tmp_path / "fitguard-runs").mkdir()
    for name in ("night-1", "night-2"):
        make_run(tmp_path / "fitguard-runs" / name).path.chmod(0o700)
    with (tmp_path / "err").open("wb") as err:
        process = programs.start(
            [sys.executable, "-m", "fitguard", "watch", "--metrics", "0"],
            cwd=tmp_path,
            stderr=err,
            stdout=subprocess.DEVNULL,
        )
    said = (tmp_path / "err").read_text
    address = wait_for(lambda: re.search(r"http://127.0.0.1:\d+/metrics", said()))
    with urllib.request.urlopen(address[0], timeout=60) as answer:
        text = answer.read().decode()
    assert 'run="night-1"' in text
    assert 'run="night-2"' in text
    process.send_signal(signal.SIGINT)
    assert process.wait(programs.LONGEST_SECONDS) == 0


def test_what_is_no_address_is_told(tmp_path):
    done = fitguard("watch", "--metrics", "here", cwd=tmp_path)
    assert done.returncode == 2
    assert "Received --metrics here. Expected PORT or HOST:PORT" in done.stderr


@pytest.mark.parametrize("other", ["--web", "--json", "--once"])
def test_one_command_does_one_thing(tmp_path, other):
    done = fitguard("watch", "--metrics", "0", other, cwd=tmp_path)
    assert done.returncode == 2
    assert "Expected it alone" in done.stderr
