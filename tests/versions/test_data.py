"""`fitguard data` finds a label that the model has no output for."""

import json

from cli.process import fitguard
from guarded.harness import environment_in
from versions.trainings import SCRIPTS, as_package, reason_in


def test_a_label_out_of_range_is_found(package, tmp_path):
    environment = environment_in(tmp_path, **as_package(package))
    made = f"{SCRIPTS / 'kinds.py'}:label_out_of_range"
    looked = fitguard("data", made, "--format", "json", cwd=tmp_path, **environment)
    assert looked.returncode == 3, f"{reason_in(looked.stderr)}\n\n{looked.stderr}"
    findings = json.loads(looked.stdout)["findings"]
    assert [finding["slug"] for finding in findings] == ["label-out-of-range"]
    assert "sample 37" in findings[0]["evidence"][0]["text"]
