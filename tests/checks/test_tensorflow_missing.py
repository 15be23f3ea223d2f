"""FG114: no TensorFlow is installed."""

import pytest

from fitguard.checks.framework.testing import run
from fitguard.environment.supposition import parse_arguments, suppose
from fitguard.schema.facts import Facts, FailedProbe
from fitguard.schema.hardware import Gpu
from fitguard.schema.software import Package, Packages, Platform, Python, TensorFlow

LINUX = Platform(system="linux", machine="x86_64")
PYTHON = Python(version="3.11.7", executable="/env/bin/python")
NOTHING = Packages(complete=True)


def judged(**facts):
    return run(
        "FG114", Facts(**{"python": PYTHON, "packages": NOTHING, "platform": LINUX, **facts})
    )


@pytest.mark.parametrize(
    ("facts", "wanted"),
    [
        (
            {"gpus": (Gpu(name="Tesla T4", compute_capability="7.5"),)},
            "tensorflow[and-cuda]==2.21.0",
        ),
        ({"gpus": ()}, "tensorflow-cpu==2.21.0"),
        ({}, "tensorflow[and-cuda]==2.21.0"),
        ({"platform": Platform(system="macos", machine="arm64")}, "tensorflow==2.21.0"),
        ({"platform": Platform(system="linux", machine="aarch64")}, "tensorflow==2.21.0"),
        ({"gpus": (), "python": Python(version="3.9")}, "tensorflow-cpu==2.20.0"),
    ],
)
def test_fires_with_what_fits_the_machine(facts, wanted):
    (finding,) = judged(**facts).findings
    assert finding.slug == "tensorflow-missing"
    assert finding.severity == "error"
    assert finding.fix.commands[0].endswith(f'-m pip install "{wanted}"')
    assert "--python" in finding.fix.text


def test_names_the_python_it_looked_in():
    (finding,) = judged(gpus=()).findings
    assert finding.evidence[0].source == "/env/bin/python"
    assert finding.fix.commands[0].startswith("/env/bin/python -m pip")


def test_an_old_gpu_gets_an_old_release():
    (finding,) = judged(
        gpus=(Gpu(name="Tesla K80", compute_capability="3.7"),), python=Python(version="3.9")
    ).findings
    assert finding.fix.commands == ('python -m pip install "tensorflow[and-cuda]==2.14.1"',)


def test_no_wheel_for_this_python():
    (finding,) = judged(gpus=(), python=Python(version="3.14")).findings
    assert finding.fix.commands == (
        "python3.13 -m venv tensorflow-env",
        'tensorflow-env/bin/python -m pip install "tensorflow-cpu==2.21.0"',
    )


def test_any_tensorflow_will_do():
    assert not judged(tensorflow=TensorFlow(version="2.18.1")).findings
    nightly = Packages((Package(name="tf-nightly", version="2.22.0.dev1"),), complete=True)
    report = judged(packages=nightly)
    assert not report.findings
    assert report.passed == ("FG114",)


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({"packages": None}, "what is installed is not known"),
        ({"packages": Packages()}, "not all that is installed is known"),
        (
            {"failed_probes": (FailedProbe("tensorflow", "PermissionError"),)},
            "the search for TensorFlow failed",
        ),
    ],
)
def test_skips_on_what_is_unknown(facts, reason):
    (skipped,) = judged(**facts).skipped
    assert skipped.reason == reason


def test_what_is_not_supposed_is_not_missing():
    assert not run("FG114", suppose(parse_arguments(["numpy=1.26"]))).findings
