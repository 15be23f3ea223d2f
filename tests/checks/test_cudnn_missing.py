"""FG203 cudnn-missing."""

from checks.library_facts import KEPT, library, machine, toolkit, what_if

from fitguard.checks.framework.testing import run


def test_no_cudnn():
    (finding,) = run("FG203", what_if("tf=2.18", "cudnn=none")).findings
    assert finding.severity == "error"
    assert finding.title == "TensorFlow 2.18.1 needs cuDNN 9.3, and the loader finds none"
    assert (finding.evidence[0].text, finding.evidence[0].source) == (
        "no libcudnn.so.9",
        "--what-if cudnn=none",
    )
    assert finding.fix.commands == ('python -m pip install "tensorflow[and-cuda]==2.18.1"',)


def test_missing_cuda_alone_is_another_check():
    report = run("FG203", what_if("tf=2.15.1", "cuda=none"))
    assert report.findings == ()
    assert "not known" in report.skipped[0].reason


def test_both_may_be_missing():
    facts = what_if("tf=2.15.1", "cuda=none", "cudnn=none")
    assert run("FG201", facts).findings
    assert run("FG203", facts).findings


def test_a_searched_machine_without_cudnn():
    (finding,) = run("FG203", machine("2.15.1", toolkit("12.2"))).findings
    assert finding.evidence[0].source == "all places where the loader looks"


def test_old_releases_get_their_own_minor_from_conda():
    (finding,) = run("FG203", what_if("tf=1.6", "package=tensorflow-gpu", "cudnn=none")).findings
    assert finding.fix.commands[0] == "conda install -c defaults cudatoolkit=9.0 cudnn=7.0"


def test_a_cudnn_that_lies_unused():
    unused = library("/opt/cudnn/lib/libcudnn.so.8", "8.9.7", "in /opt", searched=False)
    (finding,) = run("FG203", machine("2.15.1", [unused])).findings
    assert finding.evidence[1].text == "cuDNN 8.9.7"
    assert "/opt/cudnn/lib/libcudnn.so.8" in finding.evidence[1].source
    assert finding.fix.commands == ("export LD_LIBRARY_PATH=/opt/cudnn/lib" + KEPT,)


def test_an_unused_cudnn_of_another_major_is_shown_and_does_not_help():
    unused = library("/opt/cudnn/lib/libcudnn.so.9", "9.1.0", "in /opt", searched=False)
    (finding,) = run("FG203", machine("2.15.1", [unused])).findings
    assert finding.evidence[1].text == "cuDNN 9.1.0"
    assert "pip install" in finding.fix.commands[0]


def test_any_cudnn_that_is_found_passes():
    found = [library("/usr/lib/x86_64-linux-gnu/libcudnn.so.9", "9.1.0")]
    assert run("FG203", machine("2.15.1", found)).passed == ("FG203",)
    assert run("FG203", what_if("tf=2.15", "cudnn=8.9")).passed == ("FG203",)


def test_without_a_gpu_nothing_is_missing():
    assert "no GPU" in run("FG203", machine("2.15.1", [], gpus=())).skipped[0].reason


def test_what_is_not_known_is_not_wrong():
    assert run("FG203", what_if("tf=2.15.1")).skipped
    assert run("FG203", what_if("cudnn=none")).skipped
