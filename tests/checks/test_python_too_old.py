"""FG101: this Python is older than the release's wheels."""

import pytest

from fitguard.checks.framework.testing import run
from fitguard.environment.supposition import parse_arguments, suppose
from fitguard.schema.facts import Facts
from fitguard.schema.software import Platform, Python, TensorFlow


def judged(*arguments: str):
    return run("FG101", suppose(parse_arguments(arguments)))


def test_fires_and_makes_a_new_environment():
    (finding,) = judged("tf=2.18.1", "python=3.8.18").findings
    assert finding.slug == "python-too-old"
    assert finding.severity == "error"
    assert finding.title == "Python 3.8 is too old for TensorFlow 2.18.1, which needs 3.9 to 3.12"
    assert finding.evidence[0].source == "--what-if python=3.8.18"
    assert "PyPI wheel METADATA" in finding.evidence[1].source
    assert finding.fix.commands == (
        "python3.12 -m venv tensorflow-env",
        'tensorflow-env/bin/python -m pip install "tensorflow[and-cuda]==2.18.1"',
    )
    assert "With Python 3.8 the newest is TensorFlow 2.13.1" in finding.fix.text


@pytest.mark.parametrize(
    ("tensorflow", "python", "fires"),
    [
        ("2.18.1", "3.9", False),
        ("2.18.1", "3.12", False),
        ("2.21.0", "3.9", True),
        ("2.20.0", "3.9", False),
        ("1.12.0", "2.7", False),
        ("1.15.2", "2.7", True),
        ("2.5.3", "2.7.18", True),
    ],
)
def test_boundaries(tensorflow, python, fires):
    assert bool(judged(f"tf={tensorflow}", f"python={python}").findings) is fires


def test_a_gap_in_the_list_counts_as_too_old():
    (finding,) = judged("tf=1.15.0", "python=3.4").findings
    assert "2.7 and 3.5 to 3.7" in finding.title


def test_too_new_is_not_its_business():
    assert not judged("tf=2.10", "python=3.13").findings


def test_python_2_gets_the_last_release_for_it():
    (finding,) = judged("tf=2.5", "python=2.7").findings
    assert "With Python 2.7 the newest is TensorFlow 2.1.0" in finding.fix.text


def test_conda_and_windows_get_their_own_commands():
    tensorflow = TensorFlow(version="2.18.1")
    conda = Facts(python=Python(version="3.8", conda=True), tensorflow=tensorflow)
    (finding,) = run("FG101", conda).findings
    assert finding.fix.commands[0] == "conda create -n tensorflow python=3.12 pip"
    windows = Facts(
        python=Python(version="3.8"), tensorflow=tensorflow, platform=Platform(system="windows")
    )
    (finding,) = run("FG101", windows).findings
    assert finding.fix.commands == (
        "py -3.12 -m venv tensorflow-env",
        r'tensorflow-env\Scripts\python -m pip install "tensorflow==2.18.1"',
    )


def test_an_installed_tensorflow_was_built_for_its_python():
    place = "/env/lib/python3.8/site-packages/tensorflow"
    facts = Facts(
        python=Python(version="3.8.18"),
        tensorflow=TensorFlow(version="2.16.1", location=place),
    )
    (skipped,) = run("FG101", facts).skipped
    assert "built for this Python" in skipped.reason


def test_fires_on_the_folder_of_another_python():
    facts = Facts(
        python=Python(version="3.8.18"),
        tensorflow=TensorFlow(
            version="2.16.1", location="/env/lib/python3.11/site-packages/tensorflow"
        ),
    )
    assert run("FG101", facts).findings


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("tf=2.18",), "the Python version is not known"),
        (("python=3.8",), "the TensorFlow version is not known"),
        (("tf=2.18", "python=3"), "the minor version of Python is not known"),
    ],
)
def test_skips_on_what_is_unknown(arguments, reason):
    (skipped,) = judged(*arguments).skipped
    assert skipped.reason == reason
