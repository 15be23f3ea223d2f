"""FG207 cuda-path-conflict."""

import msgspec
import pytest
from checks.library_facts import KEPT, WHEELS, library, machine, toolkit, what_if, wheels

from fitguard.checks.framework.runner import judge_machine
from fitguard.checks.framework.testing import run
from fitguard.schema.software import Package, Packages

NOT_SEARCHED = "not on the loader's path"


def test_a_toolkit_of_another_major_before_the_wheels():
    facts = what_if("tf=2.15", "extras=and-cuda", "library-path=/usr/local/cuda-11.8/lib64")
    (finding,) = judge_machine(facts, select=["FG2"]).findings
    assert (finding.code, finding.severity, finding.confidence) == ("FG207", "error", "medium")
    assert finding.title == (
        "libcusolver.so.11 will come from CUDA 11.8, the runtime from CUDA 12.2"
    )
    assert "/usr/local/cuda-11.8/lib64/libcusolver.so.11 (by LD_LIBRARY_PATH)" in [
        item.source for item in finding.evidence
    ]
    assert finding.fix.commands == ("unset LD_LIBRARY_PATH",)


def test_the_wrong_toolkit_is_named_and_the_right_one_lies_unused():
    facts = what_if(
        "tf=2.15", "cuda-toolkits=11.8,12.2", "library-path=/usr/local/cuda-11.8/lib64:/opt/own"
    )
    (finding,) = judge_machine(facts, select=["FG2"]).findings
    assert (finding.code, finding.severity, finding.confidence) == ("FG207", "error", "high")
    assert finding.fix.commands == ("export LD_LIBRARY_PATH=/usr/local/cuda-12.2/lib64:/opt/own",)


def test_the_right_wheels_lie_unused_behind_another_cuda_of_the_system():
    unused = wheels("12.2", NOT_SEARCHED, searched=False)
    (finding,) = run("FG207", machine("2.15.1", [*toolkit("13.0"), *unused])).findings
    folders = [f"{WHEELS}/{item.component}/lib" for item in unused]
    assert finding.fix.commands == (f"export LD_LIBRARY_PATH={':'.join(folders)}" + KEPT,)


@pytest.mark.parametrize(
    "arguments",
    [
        ("cuda-toolkits=11.8,12.2",),
        ("cuda-toolkits=11.8,12.2", "library-path=/usr/local/cuda-12.2/lib64"),
        ("cuda-toolkits=11.8,12.2", "extras=and-cuda"),
        ("extras=and-cuda", "library-path=/usr/local/cuda-12.2/lib64"),
        ("extras=and-cuda", "library-path=/opt/own/lib"),
        ("cuda=11.8", "extras=and-cuda"),
    ],
)
def test_toolkits_side_by_side_are_fine(arguments):
    assert run("FG207", what_if("tf=2.15", *arguments)).passed == ("FG207",)


def test_a_newer_cuda_of_the_system_behind_the_wheels_is_harmless():
    facts = machine("2.21.0", [*wheels("12.5"), *toolkit("13.0")])
    assert judge_machine(facts, select=["FG201", "FG202", "FG207", "FG208"]).findings == ()


def test_another_version_of_the_same_name_put_first():
    facts = what_if("tf=2.15", "extras=and-cuda", "library-path=/usr/local/cuda-12.4/lib64/")
    (finding,) = run("FG207", facts).findings
    assert (finding.severity, finding.confidence) == ("warning", "medium")
    assert finding.title == (
        "LD_LIBRARY_PATH puts CUDA 12.4 before the CUDA 12.2 that is there as well"
    )
    assert finding.fix.commands == ("unset LD_LIBRARY_PATH",)


def test_another_cudnn_put_first():
    found = [
        *toolkit("12.2"),
        library("/opt/cudnn/lib/libcudnn.so.9", "9.10.0", "LD_LIBRARY_PATH"),
        library("/usr/lib/x86_64-linux-gnu/libcudnn.so.9", "9.3.0"),
    ]
    facts = machine("2.18.0", toolkit("12.5") + found[-2:], library_path=("/opt/cudnn/lib",))
    (finding,) = run("FG207", facts).findings
    assert finding.title.startswith("LD_LIBRARY_PATH puts cuDNN 9.10.0 before the cuDNN 9.3.0")


def test_the_order_of_the_system_is_its_own():
    found = [*toolkit("12.4"), *toolkit("12.2")]
    assert run("FG207", machine("2.15.1", found)).passed == ("FG207",)


def test_a_cudnn_for_another_cuda_major():
    cudnn = library(
        f"{WHEELS}/cudnn/lib/libcudnn.so.8", "8.9.6", "RUNPATH", package="nvidia-cudnn-cu11"
    )
    (finding,) = run("FG207", machine("2.15.1", [*wheels("12.2"), cudnn])).findings
    assert finding.title.startswith("libcudnn.so.8 will come from CUDA 11")
    assert finding.fix.text.startswith("All of them should come from one installation")
    assert "tensorflow[and-cuda]==2.15.1" in finding.fix.commands[0]


def test_a_mix_of_minors_is_a_warning():
    found = [*toolkit("12.2")[:1], *toolkit("12.6")[1:]]
    (finding,) = run("FG207", machine("2.15.1", found)).findings
    assert finding.severity == "warning"
    assert len(finding.evidence) <= 7


def test_a_cudnn_beside_another_runtime_is_not_judged_by_its_folder():
    folder = "/usr/lib/x86_64-linux-gnu"
    found = [
        *toolkit("12.2"),
        library(f"{folder}/libcudart.so.11.0", "11.5"),
        library(f"{folder}/libcudnn.so.8", "8.9.7"),
    ]
    assert run("FG207", machine("2.15.1", found)).passed == ("FG207",)


def test_a_library_is_judged_by_the_runtime_in_its_folder():
    folder = "/opt/elsewhere/lib"
    found = [
        library(f"{folder}/libcudart.so.11.0", "11.8", "LD_LIBRARY_PATH"),
        library(f"{folder}/libcusolver.so.11", None, "LD_LIBRARY_PATH"),
        *wheels("12.2"),
    ]
    facts = machine("2.15.1", found, library_path=(folder,))
    (finding,) = run("FG207", facts).findings
    assert finding.title.startswith("libcusolver.so.11 will come from CUDA 11.8")


def test_without_a_gpu():
    facts = what_if(
        "tf=2.15", "extras=and-cuda", "library-path=/usr/local/cuda-11.8/lib64", "gpu=none"
    )
    assert run("FG207", facts).findings[0].severity == "warning"
    unused = wheels("12.2", NOT_SEARCHED, searched=False)
    report = run("FG207", machine("2.15.1", [*toolkit("13.0"), *unused], gpus=()))
    assert "no GPU" in report.skipped[0].reason


def test_skips_without_the_facts():
    assert run("FG207", what_if("tf=2.15")).skipped
    assert run("FG207", machine("2.15.1", [])).skipped


def test_an_older_minor_of_the_same_name_is_another_check():
    unused = library("/opt/cuda/lib/libcudart.so.12", "12", NOT_SEARCHED, searched=False)
    facts = machine("2.21.0", [*toolkit("12.0"), unused])
    assert run("FG207", facts).passed == ("FG207",)
    assert judge_machine(facts, select=["FG202", "FG207", "FG208"]).findings[0].code == "FG202"


def test_wheels_that_overwrite_each_other_are_left_to_package_duplicate():
    names = ("nvidia-cudnn-cu11", "nvidia-cudnn-cu12")
    cudnn = library(f"{WHEELS}/cudnn/lib/libcudnn.so.9", "9.10.2", package=names[0])
    facts = machine("2.21.0", [*wheels("12.5"), cudnn])
    assert run("FG207", facts).findings[0].title.startswith("libcudnn.so.9 will come from CUDA 11")
    twins = Packages(tuple(Package(name=name, version="9.10.2") for name in names), complete=True)
    assert run("FG207", msgspec.structs.replace(facts, packages=twins)).findings == ()
