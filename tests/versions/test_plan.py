"""`fitguard plan` tells what the first `fit` of a script needs."""

import json

from cli.process import fitguard
from guarded.harness import environment_in
from versions.trainings import SCRIPTS, as_package, reason_in

# What three layers of 512 give for 4096 rows, in float32.
ACTIVATIONS_BYTES = 3 * 512 * 4096 * 4


def test_a_script_is_planned(package, tmp_path):
    environment = environment_in(tmp_path, **as_package(package))
    script, out = SCRIPTS / "too_large.py", tmp_path / "out.npz"
    planned = fitguard("plan", script, "--format", "json", "--", out, cwd=tmp_path, **environment)
    assert planned.returncode == 0, f"{reason_in(planned.stderr)}\n\n{planned.stderr}"
    needed = json.loads(planned.stdout)["required_bytes"]
    assert ACTIVATIONS_BYTES < needed["likely"] < 8 * ACTIVATIONS_BYTES
    assert not out.exists(), "the training was run"
