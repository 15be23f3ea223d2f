"""FG106: NumPy 2 with a TensorFlow that was compiled for NumPy 1."""

import pytest

from fitguard.checks.framework.testing import run
from fitguard.environment.supposition import parse_arguments, suppose
from fitguard.schema.facts import Facts
from fitguard.schema.software import Package, Packages, TensorFlow


def judged(*arguments: str):
    return run("FG106", suppose(parse_arguments(arguments)))


@pytest.mark.parametrize(
    ("version", "wanted"),
    [
        ("2.5.3", "numpy~=1.19.2"),
        ("2.10.1", "numpy>=1.20,<2"),
        ("2.13.1", "numpy<=1.24.3,>=1.22"),
        ("2.15.1", "numpy<2.0.0,>=1.23.5"),
        ("2.17.1", "numpy>=1.26,<2"),
    ],
)
def test_fires_with_the_range_of_the_release(version, wanted):
    (finding,) = judged(f"tf={version}", "numpy=2.0.2").findings
    assert finding.slug == "numpy2-abi"
    assert finding.severity == "error"
    assert finding.evidence[0].source == "--what-if numpy=2.0.2"
    assert "PyPI wheel METADATA" in finding.evidence[1].source
    assert finding.fix.commands == (f'python -m pip install "{wanted}"',)


@pytest.mark.parametrize(
    ("version", "numpy", "fires"),
    [
        ("2.17.1", "2", True),
        ("2.17.1", "1.26.4", False),
        ("2.18.0", "2.0.2", False),
        ("2.18.1", "2.3.4", False),
        ("2.10.1", "1.24", False),
    ],
)
def test_boundaries(version, numpy, fires):
    assert bool(judged(f"tf={version}", f"numpy={numpy}").findings) is fires


def test_ranges_by_python_are_not_quoted_in_full():
    (finding,) = judged("tf=2.16", "numpy=2.0").findings
    assert "python_version" not in finding.evidence[1].text


def test_skips_for_condas_own_build():
    packages = Packages(
        (
            Package(name="tensorflow", version="2.17.0", installer="conda"),
            Package(name="numpy", version="2.0.2", installer="conda"),
        )
    )
    facts = Facts(tensorflow=TensorFlow(version="2.17.0"), packages=packages)
    (skipped,) = run("FG106", facts).skipped
    assert skipped.reason.startswith("conda's solver")


def test_skips_where_numpy_is_unknown():
    (skipped,) = judged("tf=2.10").skipped
    assert skipped.reason == "what is installed is not known"
