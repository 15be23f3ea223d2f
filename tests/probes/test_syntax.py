import subprocess
import sys

from fitguard.probes.registry import MAIN

FILES = sorted(MAIN.parent.rglob("*.py"))
CODING = b"# -*- coding: utf-8 -*-\n"


def test_the_syntax_of_what_runs_in_other_interpreters_is_that_of_python_2_7_and_3_4() -> None:
    run_vermin = [sys.executable, "-c", "import vermin; vermin.main()"]
    command = [*run_vermin, "-t=2.7", "-t=3.4-", "--violations", *map(str, FILES)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_python_2_7_is_told_of_letters_that_are_not_ascii() -> None:
    """It refuses a file that has them, even in a comment."""
    texts = {path.name: path.read_bytes() for path in FILES}
    untold = [name for name, text in texts.items() if not text.isascii()]
    assert [name for name in untold if not texts[name].startswith(CODING)] == []
