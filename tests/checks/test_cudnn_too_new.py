"""FG211 cudnn-too-new."""

import pytest
from checks.library_facts import what_if

from fitguard.checks.framework.testing import run


def judged(tensorflow, cudnn, *more):
    return run(
        "FG211", what_if(f"tf={tensorflow}", "package=tensorflow-gpu", f"cudnn={cudnn}", *more)
    )


@pytest.mark.parametrize(
    ("tensorflow", "cudnn"), [("1.6", "7.1"), ("1.5", "7.4"), ("1.5.1", "7.6")]
)
def test_strict_releases_refuse_a_newer_minor(tensorflow, cudnn):
    (finding,) = judged(tensorflow, cudnn).findings
    assert finding.severity == "error"
    assert finding.title.endswith(f"takes cuDNN 7.0 only, and the loader finds cuDNN {cudnn}")
    assert finding.evidence[0].source == f"--what-if cudnn={cudnn}"
    assert "fitguard knowledge: cudnn" in finding.evidence[-1].source


def test_the_fix_asks_for_that_very_minor():
    assert "cudnn=7.0" in judged("1.6", "7.1").findings[0].fix.commands[0]


@pytest.mark.parametrize(
    ("tensorflow", "cudnn"), [("1.6", "7.0.5"), ("1.6", "7"), ("1.7", "7.1"), ("2.10", "8.9")]
)
def test_the_same_minor_and_later_releases_are_fine(tensorflow, cudnn):
    assert judged(tensorflow, cudnn).passed == ("FG211",)


def test_without_a_gpu_it_is_a_warning():
    assert judged("1.6", "7.1", "gpu=none").findings[0].severity == "warning"


def test_skips_without_the_facts():
    assert run("FG211", what_if("tf=1.6", "package=tensorflow-gpu")).skipped
    assert run("FG211", what_if("cudnn=7.1")).skipped
