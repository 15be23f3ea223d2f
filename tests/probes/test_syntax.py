import subprocess
import sys

from fitguard.probes.registry import MAIN


def test_the_syntax_of_what_runs_in_other_interpreters_is_that_of_python_2_7_and_3_4() -> None:
    files = sorted(map(str, MAIN.parent.rglob("*.py")))
    command = [sys.executable, "-m", "vermin", "-t=2.7", "-t=3.4-", "--violations", *files]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
