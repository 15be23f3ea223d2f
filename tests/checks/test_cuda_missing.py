"""FG201 cuda-missing."""

import pytest
from checks.library_facts import KEPT, library, machine, toolkit, what_if, wheels

from fitguard.checks.framework.testing import run
from fitguard.schema.facts import Facts
from fitguard.schema.software import Python


def test_no_cuda_at_all():
    (finding,) = run("FG201", what_if("tf=2.15.1", "cuda=none")).findings
    assert finding.severity == "error"
    assert finding.title == (
        "TensorFlow 2.15.1 needs CUDA 12.2, and the loader finds no CUDA at all"
    )
    assert finding.evidence[0].text == "no libcudart.so.12"
    assert finding.evidence[0].source == "--what-if cuda=none"
    assert finding.fix.commands == ('python -m pip install "tensorflow[and-cuda]==2.15.1"',)


def test_a_searched_machine_without_cuda():
    (finding,) = run("FG201", machine("2.21.0", [])).findings
    assert finding.evidence[0].source == "all places where the loader looks"


def test_missing_cudnn_alone_is_another_check():
    assert run("FG201", what_if("tf=2.15.1", "cudnn=none")).findings == ()


def test_before_and_cuda_conda_brings_it_and_is_put_on_the_path():
    (finding,) = run("FG201", what_if("tf=2.10", "cuda=none")).findings
    assert finding.fix.commands == (
        "conda install -c conda-forge cudatoolkit=11.2 cudnn=8.1.0",
        "conda env config vars set LD_LIBRARY_PATH=$CONDA_PREFIX/lib",
    )


def test_on_windows_the_file_is_a_dll_and_there_is_no_library_path():
    (finding,) = run("FG201", what_if("tf=2.10", "cuda=none", "os=windows")).findings
    assert finding.evidence[0].text == "no cudart64_110.dll"
    assert not any("LD_LIBRARY_PATH" in command for command in finding.fix.commands)


@pytest.mark.parametrize("version", ["2.12.1", "2.13.0", "2.9.1"])
def test_an_extra_that_does_not_exist(version):
    (finding,) = run("FG201", what_if(f"tf={version}", "extras=and-cuda")).findings
    assert "has no and-cuda extra" in finding.title
    assert "2.14" in finding.evidence[1].text
    assert "and_cuda_pins" in finding.evidence[1].source


def test_an_extra_in_vain_does_not_matter_where_cuda_is_there():
    facts = what_if("tf=2.13", "extras=and-cuda", "cuda=11.8")
    assert run("FG201", facts).findings == ()


@pytest.mark.parametrize("version", ["2.14.0", "2.20.0"])
def test_the_extra_brings_cuda(version):
    facts = what_if(f"tf={version}", "extras=and-cuda", "cuda=none")
    assert run("FG201", facts).findings == ()


@pytest.mark.parametrize(("version", "missing"), [("2.21.0", "cusolver"), ("2.16.1", "cudnn")])
def test_wheels_that_a_release_does_not_look_into(version, missing):
    (finding,) = run("FG201", what_if(f"tf={version}", "extras=and-cuda")).findings
    assert finding.severity == "warning"
    assert f"$SITE/nvidia/{missing}/lib" in finding.fix.commands[-1]


def test_such_wheels_on_the_library_path():
    lead = "library-path=/usr/local/cuda-12.5/lib64"
    facts = what_if("tf=2.21.0", "extras=and-cuda", lead)
    assert run("FG201", facts).findings == ()


def test_single_libraries_are_named():
    found = [item for item in toolkit("11.2") if item.component not in ("cusolver", "cusparse")]
    (finding,) = run("FG201", machine("2.10.1", found)).findings
    assert finding.title == "TensorFlow 2.10.1 will not find libcusolver.so.11, libcusparse.so.11"
    assert [item.text for item in finding.evidence[:2]] == [
        "no libcusolver.so.11",
        "no libcusparse.so.11",
    ]


def test_many_missing_libraries_are_counted():
    (finding,) = run("FG201", machine("2.15.1", toolkit("12.2")[:1])).findings
    assert finding.title.endswith("and 2 more")


def test_a_whole_toolkit_and_a_newer_minor_are_fine():
    assert run("FG201", machine("2.15.1", toolkit("12.2"))).passed == ("FG201",)
    assert run("FG201", machine("2.15.1", toolkit("12.4"))).passed == ("FG201",)


def test_wheels_that_lie_unused_are_shown_with_their_folders():
    unused = wheels("12.2", "wheel, not on the loader's path", searched=False)
    (finding,) = run("FG201", machine("2.15.1", unused)).findings
    (command,) = finding.fix.commands
    assert command.startswith("export LD_LIBRARY_PATH=/venv/lib/python3.11/site-packages/nvidia/")
    for item in unused:
        assert item.path.rpartition("/")[0] in command
    assert any("not on the loader's path" in item.source for item in finding.evidence)


def test_a_library_path_that_is_set_is_kept():
    unused = toolkit("12.2", "toolkit, not on the loader's path", searched=False)
    facts = machine("2.15.1", unused, library_path=("/opt/own/lib",))
    (finding,) = run("FG201", facts).findings
    assert finding.fix.commands == ("export LD_LIBRARY_PATH=/usr/local/cuda-12.2/lib64" + KEPT,)


def test_a_toolkit_named_by_what_if_lies_unused():
    facts = what_if("tf=2.15", "cuda=none", "cuda-toolkits=11.8,12.2")
    (finding,) = run("FG201", facts).findings
    assert finding.fix.commands == ("export LD_LIBRARY_PATH=/usr/local/cuda-12.2/lib64" + KEPT,)


def test_unused_libraries_of_another_cuda_do_not_help():
    unused = toolkit("11.8", "toolkit, not on the loader's path", searched=False)
    (finding,) = run("FG201", machine("2.15.1", unused)).findings
    assert "pip install" in finding.fix.commands[0]


def test_the_interpreter_that_was_judged_installs():
    facts = what_if("tf=2.15.1", "cuda=none")
    facts = Facts(
        python=Python(version="3.11", executable="/venv/bin/python"),
        tensorflow=facts.tensorflow,
        libraries=facts.libraries,
    )
    (finding,) = run("FG201", facts).findings
    assert finding.fix.commands[0].startswith("/venv/bin/python -m pip install")


@pytest.mark.parametrize(
    "found",
    [
        [library("/usr/local/cuda-13.0/lib64/libcudart.so.13", "13.0")],
        [item for item in toolkit("11.2") if item.component == "cudart"],
    ],
)
def test_another_cuda_is_left_to_the_check_of_versions(found):
    version = "2.21.0" if "13" in found[0].soname else "2.4.1"
    assert run("FG201", machine(version, found)).findings == ()


def test_without_a_gpu_nothing_is_missing():
    report = run("FG201", machine("2.21.0", [], gpus=()))
    assert "no GPU" in report.skipped[0].reason


def test_an_unknown_gpu_counts():
    assert run("FG201", machine("2.21.0", [], gpus=None)).findings


def test_what_is_not_known_is_not_wrong():
    assert run("FG201", what_if("tf=2.15.1")).skipped[0].reason
    assert "not known" in run("FG201", what_if("tf=2.15.1", "cudnn=8.9")).skipped[0].reason


def test_a_cpu_build_needs_no_cuda():
    report = run("FG201", what_if("tf=2.15.1", "package=tensorflow-cpu", "cuda=none"))
    assert "without CUDA" in report.skipped[0].reason
