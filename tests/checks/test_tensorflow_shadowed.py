"""FG118 tensorflow-shadowed."""

from fitguard.checks.framework.testing import run
from fitguard.schema.facts import Facts
from fitguard.schema.software import Package, Packages, Python

PYTHON = Python(version="3.11.7", executable="/venv/bin/python")
INSTALLED = Package(name="tensorflow", version="2.21.0", origin="/venv/METADATA")


def test_a_folder_of_ones_own():
    packages = Packages((INSTALLED,), complete=True, unowned="/home/me/project/tensorflow")
    (finding,) = run("FG118", Facts(python=PYTHON, packages=packages)).findings
    assert finding.severity == "error"
    assert finding.evidence[0].source == "the path of /venv/bin/python"
    assert finding.evidence[1].text == "tensorflow 2.21.0, not reached"


def test_a_file_in_the_current_folder_is_a_warning():
    packages = Packages((INSTALLED,), complete=True, shadows=("/home/me/tensorflow.py",))
    (finding,) = run("FG118", Facts(python=PYTHON, packages=packages)).findings
    assert finding.severity == "warning"
    assert "/home/me/tensorflow.py" in finding.title
    assert finding.evidence[0].source == "the current folder"


def test_what_is_imported_anyway_outweighs_the_current_folder():
    packages = Packages(complete=True, unowned="/x/tensorflow", shadows=("/x/tensorflow",))
    (finding,) = run("FG118", Facts(python=PYTHON, packages=packages)).findings
    assert finding.severity == "error"


def test_an_installed_tensorflow_is_fine():
    packages = Packages((INSTALLED,), complete=True)
    assert run("FG118", Facts(python=PYTHON, packages=packages)).passed == ("FG118",)


def test_what_is_installed_must_be_known():
    assert "not known" in run("FG118", Facts(python=PYTHON)).skipped[0].reason
