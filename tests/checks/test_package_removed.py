"""FG116: tensorflow-gpu after its end."""

import pytest

from fitguard.checks.framework.testing import run
from fitguard.environment.supposition import parse_arguments, suppose
from fitguard.schema.facts import Facts
from fitguard.schema.software import Package, Packages, TensorFlow


def judged(*arguments: str):
    return run("FG116", suppose(parse_arguments(arguments)))


def test_fires_on_the_empty_package():
    (finding,) = judged("tf=2.12.0", "package=tensorflow-gpu").findings
    assert finding.slug == "package-removed"
    assert finding.severity == "error"
    assert finding.evidence[0].source == "--what-if tf=2.12.0"
    assert finding.evidence[1].source == "PyPI, project tensorflow-gpu"
    assert finding.fix.commands == ('python -m pip install "tensorflow==2.12.0"',)


@pytest.mark.parametrize(
    ("version", "fires"),
    [("2.11.0", False), ("2.11.1", True), ("2.10.1", False), ("1.15.5", False), ("2.18", True)],
)
def test_boundaries(version, fires):
    assert bool(judged(f"tf={version}", "package=tensorflow-gpu").findings) is fires


def test_from_2_14_on_the_extra_brings_cuda():
    (finding,) = judged("tf=2.18", "package=tensorflow-gpu").findings
    assert finding.fix.commands == ('python -m pip install "tensorflow[and-cuda]==2.18.1"',)


def test_other_packages_are_fine():
    assert judged("tf=2.18", "package=tensorflow").passed == ("FG116",)


def test_a_package_with_files_is_somebodys_own_build():
    package = Package(name="tensorflow-gpu", version="2.13.0", origin="METADATA")
    facts = Facts(packages=Packages((package,), complete=True))
    assert run("FG116", facts).findings
    built = Facts(
        packages=facts.packages,
        tensorflow=TensorFlow(version="2.13.0", location="/env/tensorflow"),
    )
    assert not run("FG116", built).findings


def test_skips_where_the_packages_are_unknown():
    (skipped,) = judged("tf=2.18").skipped
    assert skipped.reason == "what is installed is not known"
