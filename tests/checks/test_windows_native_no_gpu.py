"""FG104: TensorFlow 2.11 and later on native Windows."""

import msgspec
import pytest

from fitguard.checks.framework.testing import run
from fitguard.environment.supposition import parse_arguments, suppose


def judged(*arguments: str):
    return run("FG104", suppose(parse_arguments(arguments)))


def test_fires_and_leads_to_wsl():
    (finding,) = judged("tf=2.15", "os=windows", "gpu=RTX 3060").findings
    assert finding.slug == "windows-native-no-gpu"
    assert finding.severity == "error"
    assert finding.evidence[0].source == "--what-if os=windows"
    assert finding.evidence[2].source == "--what-if gpu=RTX 3060"
    assert finding.fix.commands == ("wsl --install",)
    assert '"tensorflow[and-cuda]==2.21.0"' in finding.fix.text
    assert "TensorFlow 2.10.1 (Python 3.7 to 3.10" in finding.fix.text


def test_an_unknown_gpu_counts_as_one():
    assert judged("tf=2.15", "os=windows").findings


def test_the_old_release_is_no_way_out_for_a_new_gpu():
    (finding,) = judged("tf=2.20", "os=windows", "gpu=RTX 5090").findings
    assert "2.10.1" not in finding.fix.text


@pytest.mark.parametrize(
    "arguments",
    [
        ("tf=2.10.1", "os=windows"),
        ("tf=2.18", "os=wsl2"),
        ("tf=2.18", "os=linux-x86_64"),
        ("tf=2.18", "os=windows", "gpu=none"),
        ("tf=2.18", "os=windows", "package=tensorflow-cpu"),
    ],
)
def test_does_not_fire(arguments):
    assert judged(*arguments).passed == ("FG104",)


def test_boundary():
    assert judged("tf=2.11.0", "os=windows").findings


def test_a_build_with_cuda_of_ones_own_is_fine():
    facts = suppose(parse_arguments(["tf=2.18", "os=windows"]))
    built = msgspec.structs.replace(facts.tensorflow, cuda_build=True)
    assert not run("FG104", msgspec.structs.replace(facts, tensorflow=built)).findings


def test_skips_where_the_system_is_unknown():
    (skipped,) = judged("tf=2.18").skipped
    assert skipped.reason == "the operating system is not known"
