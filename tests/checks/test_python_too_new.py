"""FG102: this Python is newer than the release's wheels."""

import pytest

from fitguard.checks.framework.testing import run
from fitguard.environment.supposition import parse_arguments, suppose
from fitguard.schema.facts import Facts
from fitguard.schema.software import Python, TensorFlow


def judged(*arguments: str):
    return run("FG102", suppose(parse_arguments(arguments)))


def test_fires_and_names_the_release_for_this_python():
    (finding,) = judged("tf=2.18", "python=3.13").findings
    assert finding.slug == "python-too-new"
    assert finding.severity == "error"
    assert finding.title == "Python 3.13 is too new for TensorFlow 2.18.1, which needs 3.9 to 3.12"
    assert finding.evidence[0].source == "--what-if python=3.13"
    assert finding.fix.commands == ('python -m pip install "tensorflow[and-cuda]==2.21.0"',)
    assert "keep 2.18.1 in a new environment with Python 3.12" in finding.fix.text


@pytest.mark.parametrize(
    ("tensorflow", "python", "fires"),
    [
        ("2.15.1", "3.11", False),
        ("2.15.1", "3.12", True),
        ("2.16.1", "3.12", False),
        ("2.19.1", "3.13", True),
        ("2.20.0", "3.13.0", False),
        ("2.21.0", "3.14", True),
        ("1.12.0", "3.7", True),
        ("2.18.1", "3.8", False),
    ],
)
def test_boundaries(tensorflow, python, fires):
    assert bool(judged(f"tf={tensorflow}", f"python={python}").findings) is fires


def test_no_release_for_this_python():
    (finding,) = judged("tf=2.21", "python=3.14").findings
    assert finding.fix.text.startswith("No release has a wheel for Python 3.14.")
    assert finding.fix.commands[0] == "python3.13 -m venv tensorflow-env"


def test_a_newer_release_must_run_on_the_gpu():
    (finding,) = judged("tf=2.10", "python=3.13", "gpu=Tesla K80").findings
    assert "No release that runs on this GPU" in finding.fix.text
    assert finding.fix.commands == (
        "python3.10 -m venv tensorflow-env",
        'tensorflow-env/bin/python -m pip install "tensorflow==2.10.1" "numpy<2"',
    )


def test_the_cpu_package_stays_the_cpu_package():
    (finding,) = judged("tf=2.18", "python=3.13", "package=tensorflow-cpu").findings
    assert finding.fix.commands == ('python -m pip install "tensorflow-cpu==2.21.0"',)


def test_an_installed_tensorflow_was_built_for_its_python():
    facts = Facts(
        python=Python(version="3.12.1"),
        tensorflow=TensorFlow(
            version="2.15.0", location="/usr/lib/python3/dist-packages/tensorflow"
        ),
    )
    (skipped,) = run("FG102", facts).skipped
    assert "built for this Python" in skipped.reason


def test_skips_where_the_python_is_unknown():
    (skipped,) = judged("tf=2.18").skipped
    assert skipped.reason == "the Python version is not known"


def test_code_for_tensorflow_1_is_not_sent_to_2():
    (finding,) = run("FG102", suppose({"tf": "1.15.5", "python": "3.9"})).findings
    assert "Python 3.7" in finding.fix.text
    assert finding.fix.commands[0] == "python3.7 -m venv tensorflow-env"
