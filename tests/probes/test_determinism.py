"""In a process of its own: deterministic operations cannot be switched off again."""

import json
import os
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import json, sys
from pathlib import Path
from probes.benches import open_bench
from fitguard.probes.target.bench import WrongResult
from fitguard.probes.target.catalog import determinism

found = []
for fault in ("", "wrong-bits"):
    with open_bench(Path(sys.argv[1]), fault) as bench:
        try:
            found.append(determinism.run(bench))
        except WrongResult as error:
            found.append(str(error))
print(json.dumps(found))
"""


def test_the_same_step_gives_the_same_bits_and_the_first_wrong_one_is_numbered(
    tmp_path: Path,
) -> None:
    tests = str(Path(__file__).parents[1])
    environment = {**os.environ, "PYTHONPATH": tests, "TF_DETERMINISTIC_OPS": "1"}
    command = [sys.executable, "-c", PROGRAM, str(tmp_path)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    passed, failed = json.loads(done.stdout.splitlines()[-1])
    assert passed.startswith("50 times the same step gave the same")
    assert failed.startswith("the result of step 2 of 50, beside the first, differs in")
