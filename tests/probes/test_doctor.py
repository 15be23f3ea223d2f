"""`doctor(deep=True)`: TensorFlow is imported and probed, in other processes."""

import subprocess
import sys

import msgspec

from fitguard.schema.doctor import DoctorReport

DEEP = """
import sys, msgspec, fitguard
from fitguard.probes import probing, registry
quick = [one for one in registry.select_probes("quick") if one.gate or "matmul-float32" == one.name]
probing.select_probes = lambda *_: quick  # two minutes are too long for a test
report = fitguard.doctor(python=sys.executable, deep=True, tell=lambda *told: heard.append(told))
assert "tensorflow" not in sys.modules
assert heard[0][0] == "the import of TensorFlow" and heard[-1][1] > 0.5, heard
sys.stdout.buffer.write(msgspec.json.encode(report))
"""


def test_the_real_tensorflow_is_imported_and_probed_elsewhere():
    done = subprocess.run(
        [sys.executable, "-c", f"heard = []\n{DEEP}"], stdout=subprocess.PIPE, check=True
    )
    report = msgspec.json.decode(done.stdout, type=DoctorReport)
    facts = report.facts
    assert facts.deep.version == facts.tensorflow.version
    assert facts.deep.gpus == ()
    assert {result.status for result in facts.probes} <= {"pass", "skip"}
    assert {"import-tensorflow", "matmul-float32"} <= {result.name for result in facts.probes}
    assert {result.device for result in facts.probes} == {"CPU"}
    assert {"FG370", "FG371"} <= {*report.passed}
    assert report.ok, report.findings
