"""FG117: the import of TensorFlow in a child process failed."""

import pytest

from fitguard.checks.framework.runner import judge_machine
from fitguard.checks.framework.testing import run
from fitguard.schema.facts import Facts
from fitguard.schema.software import DeepImport, Packages, Python

PYTHON = Python(version="3.11.7", executable="/env/bin/python")


def judged(deep, python=PYTHON):
    return run("FG117", Facts(deep=deep, python=python))


def test_an_exception_is_quoted():
    log = (
        "Traceback (most recent call last):",
        '  File "<string>", line 1, in <module>',
        "",
        "ImportError: numpy.core.umath failed to import",
    )
    (finding,) = judged(DeepImport(exit_code=1, log=log)).findings
    assert finding.slug == "tensorflow-import-fails"
    assert finding.severity == "error"
    assert finding.title == (
        "The import of TensorFlow fails: ImportError: numpy.core.umath failed to import"
    )
    (evidence,) = finding.evidence
    assert evidence.text.endswith(log[-1])
    assert "--deep" in evidence.source
    assert finding.fix.commands == ('/env/bin/python -X faulthandler -c "import tensorflow"',)


@pytest.mark.parametrize(
    ("signal", "exit_code", "advice"),
    [
        ("SIGILL", -4, "FG105"),
        ("SIGSEGV", -11, "two builds"),
        ("SIGABRT", -6, "last lines"),
        ("SIGKILL", -9, "memory"),
        ("SIGTERM", -15, "try again"),
    ],
)
def test_a_signal_is_named(signal, exit_code, advice):
    (finding,) = judged(DeepImport(exit_code=exit_code, signal=signal)).findings
    assert finding.title == f"The import of TensorFlow was ended by {signal}"
    assert finding.evidence[0].text == f"ended by {signal}"
    assert advice in finding.fix.text


def test_a_timeout_is_told_with_its_time():
    (finding,) = judged(DeepImport(timed_out=True, seconds=120.2, log=("loading",))).findings
    assert finding.title == "The import of TensorFlow did not finish within 120 s"
    assert "CUDA_VISIBLE_DEVICES=-1" in finding.fix.text


def test_the_title_and_the_quote_stay_short():
    log = tuple(f"line {number} " + "x" * 200 for number in range(40))
    (finding,) = judged(DeepImport(exit_code=1, log=log)).findings
    assert len(finding.title) <= 100
    quoted = finding.evidence[0].text.split("\n")
    assert quoted[-1].startswith("line 39")
    assert len(quoted) == 6


def test_frames_of_the_import_machinery_are_left_out():
    log = (
        "Fatal Python error: Segmentation fault",
        '  File "/site/tensorflow/__init__.py", line 40 in <module>',
        '  File "<frozen importlib._bootstrap>", line 1176 in _find_and_load',
        '  File "/site/fitguard/contract/deep_child.py", line 32 in main',
    )
    (finding,) = judged(DeepImport(signal="SIGSEGV", exit_code=-11, log=log)).findings
    assert finding.evidence[0].text == "\n".join(log[:2])


def test_python_2_knows_no_faulthandler():
    (finding,) = judged(DeepImport(exit_code=1), Python(version="2.7.18")).findings
    assert finding.fix.commands == ('python -c "import tensorflow"',)


def test_an_import_that_works_is_fine():
    assert judged(DeepImport(version="2.18.1", exit_code=0)).passed == ("FG117",)


def test_skips_without_deep():
    (skipped,) = run("FG117", Facts()).skipped
    assert "--deep" in skipped.reason


def test_a_missing_tensorflow_is_told_once():
    facts = Facts(deep=DeepImport(exit_code=1), packages=Packages(complete=True), python=PYTHON)
    report = judge_machine(facts, select=("FG114", "FG117"))
    assert [finding.code for finding in report.findings] == ["FG114"]
