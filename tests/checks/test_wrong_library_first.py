"""FG208 wrong-library-first."""

import msgspec
from checks.library_facts import KEPT, library, machine, toolkit, what_if

from fitguard.checks.framework.runner import judge_machine
from fitguard.checks.framework.testing import run

OLD = library("/opt/old/lib/libcudnn.so.8", "8.0.5", "LD_LIBRARY_PATH")
RIGHT = library("/usr/lib/x86_64-linux-gnu/libcudnn.so.8", "8.9.7")
PATH = "/usr/local/cuda-11.0/lib64:/usr/local/cuda-11.2/lib64"


def test_an_old_cudnn_on_the_library_path():
    facts = machine("2.15.1", [OLD, RIGHT], library_path=("/opt/old/lib", "/opt/own"))
    (finding,) = run("FG208", facts).findings
    assert (finding.severity, finding.confidence) == ("error", "high")
    assert finding.title == (
        "cuDNN 8.0.5 is found first; the cuDNN 8.9.7 that TensorFlow 2.15.1 can use comes after it"
    )
    assert [item.source for item in finding.evidence[:2]] == [
        "/opt/old/lib/libcudnn.so.8 (by LD_LIBRARY_PATH)",
        "/usr/lib/x86_64-linux-gnu/libcudnn.so.8 (by ld.so.cache)",
    ]
    assert finding.fix.commands == ("export LD_LIBRARY_PATH=/opt/own",)


def test_all_misfits_before_the_right_one_leave_the_path():
    older = library("/opt/older/lib/libcudnn.so.8", "8.0.2", "LD_LIBRARY_PATH")
    folders = ("/opt/old/lib/", "/opt/older/lib")
    (finding,) = run("FG208", machine("2.15.1", [OLD, older, RIGHT], library_path=folders)).findings
    assert finding.fix.commands == ("unset LD_LIBRARY_PATH",)


def test_the_right_one_lies_unused():
    unused = library("/opt/right/lib/libcudnn.so.8", "8.9.7", "in /opt", searched=False)
    facts = machine("2.15.1", [OLD, unused], library_path=("/opt/old/lib",))
    (finding,) = run("FG208", facts).findings
    assert finding.title.endswith("lies unused")
    assert finding.fix.commands == ("export LD_LIBRARY_PATH=/opt/right/lib" + KEPT,)


def test_what_the_system_has_first_is_overtaken():
    first = library("/usr/local/lib/libcudnn.so.8", "8.0.5")
    (finding,) = run("FG208", machine("2.15.1", [first, RIGHT])).findings
    assert finding.fix.commands == ("export LD_LIBRARY_PATH=/usr/lib/x86_64-linux-gnu" + KEPT,)


def test_two_toolkits_on_the_library_path():
    report = judge_machine(what_if("tf=2.10", f"library-path={PATH}"), select=["FG2"])
    (finding,) = report.findings
    assert (finding.code, finding.severity) == ("FG208", "error")
    assert finding.fix.commands == ("export LD_LIBRARY_PATH=/usr/local/cuda-11.2/lib64",)


def test_the_other_way_round_is_fine():
    turned = ":".join(reversed(PATH.split(":")))
    assert run("FG208", what_if("tf=2.10", f"library-path={turned}")).passed == ("FG208",)


def test_an_older_minor_that_may_do_is_a_warning():
    facts = what_if("tf=2.15", "extras=and-cuda", "library-path=/usr/local/cuda-12.0/lib64")
    report = judge_machine(facts, select=["FG2"])
    assert [(item.code, item.severity) for item in report.findings] == [("FG208", "warning")]


def test_runtime_and_cudnn_are_both_judged():
    found = [*toolkit("12.0", "LD_LIBRARY_PATH"), *toolkit("12.2"), OLD, RIGHT]
    folders = ("/usr/local/cuda-12.0/lib64", "/opt/old/lib")
    report = run("FG208", machine("2.15.1", found, library_path=folders))
    assert {item.title.partition(" is")[0] for item in report.findings} == {
        "CUDA 12.0",
        "cuDNN 8.0.5",
    }


def test_only_what_stands_before_a_better_one_is_reported():
    assert run("FG208", machine("2.15.1", [OLD])).passed == ("FG208",)
    assert run("FG208", machine("2.15.1", [RIGHT, OLD])).passed == ("FG208",)


def test_a_later_one_of_unknown_minor_is_no_better():
    unknown = library("/usr/lib/x86_64-linux-gnu/libcudnn.so.8", "8")
    assert run("FG208", machine("2.15.1", [OLD, unknown])).passed == ("FG208",)


def test_a_supposed_wheel_has_no_folder_to_name():
    facts = what_if("tf=2.15", "cuda=12.0", "extras=and-cuda")
    (finding,) = run("FG208", facts).findings
    assert finding.fix.commands == ()


def test_another_name_is_never_first():
    stranger = library("/opt/new/lib/libcudnn.so.9", "9.1.0", "LD_LIBRARY_PATH")
    assert run("FG208", machine("2.15.1", [stranger, RIGHT])).passed == ("FG208",)


def test_without_a_gpu_it_is_a_warning():
    facts = machine("2.15.1", [OLD, RIGHT], gpus=(), library_path=("/opt/old/lib",))
    assert run("FG208", facts).findings[0].severity == "warning"


def test_skips_without_the_facts():
    assert run("FG208", what_if("tf=2.15")).skipped
    assert run("FG208", machine("2.15.1", [])).skipped


def test_one_folder_to_blame_for_both_is_one_finding():
    facts = what_if("tf=2.18.0", "extras=and-cuda", "library-path=/usr/local/cuda-12.2/lib64")
    old = library("/usr/local/cuda-12.2/lib64/libcudnn.so.9", "9.0.0", "LD_LIBRARY_PATH")
    libraries = msgspec.structs.replace(facts.libraries, found=(old, *facts.libraries.found))
    (finding,) = run("FG208", msgspec.structs.replace(facts, libraries=libraries)).findings
    assert finding.title.startswith("CUDA 12.2 and cuDNN 9.0.0 are found first")
    assert finding.severity == "error"
    assert finding.fix.commands == ("unset LD_LIBRARY_PATH",)
