"""The fixes for CUDA libraries."""

import msgspec
import pytest
from checks.library_facts import what_if

from fitguard.checks.fixes import cuda_remedies
from fitguard.checks.framework.testing import run
from fitguard.schema.facts import Facts
from fitguard.schema.software import CudaLibraries, Package, Packages, Platform


@pytest.mark.parametrize(
    ("now", "first", "without", "command"),
    [
        (None, ("/a",), (), "export LD_LIBRARY_PATH=/a${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"),
        ((), ("/a", "/a"), (), "export LD_LIBRARY_PATH=/a${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"),
        (("/b", "/c"), ("/a",), ("/b",), "export LD_LIBRARY_PATH=/a:/c"),
        (("/a/", "/b"), (), ("/a",), "export LD_LIBRARY_PATH=/b"),
        (("/a", "", "/a/"), (), ("/a",), "unset LD_LIBRARY_PATH"),
        (None, (), ("/a",), "unset LD_LIBRARY_PATH"),
        (("/my libs", "/b"), (), ("/b",), "export LD_LIBRARY_PATH='/my libs'"),
    ],
)
def test_library_path(now, first, without, command):
    libraries = CudaLibraries(library_path=now)
    found = cuda_remedies.search(Facts(), libraries, first=first, without=without)
    assert found == (command,)


def test_windows_has_no_library_path():
    windows = Facts(platform=Platform(system="windows"))
    assert cuda_remedies.search(windows, CudaLibraries(), first=("/a",)) == ()


def fix(*arguments, package="tensorflow", installer="pip"):
    facts = what_if(*arguments, "cuda=none")
    held = Package(name=package, version=facts.tensorflow.version, installer=installer)
    tensorflow = msgspec.structs.replace(facts.tensorflow, package=package, cuda_build=True)
    facts = msgspec.structs.replace(facts, tensorflow=tensorflow, packages=Packages(found=(held,)))
    return run("FG201", facts).findings[0].fix


def test_conda_mends_what_conda_installed():
    assert fix("tf=2.18", installer="conda").commands == (
        'conda install -c conda-forge "tensorflow=2.18=cuda*"',
    )


def test_a_nightly_stays_a_nightly():
    assert '"tf-nightly[and-cuda]==' in fix("tf=2.21", package="tf-nightly").commands[0]


@pytest.mark.parametrize(
    ("version", "cudnn"), [("1.2", "5.1"), ("1.4", "6.0"), ("1.6", "7.0"), ("1.12", "7.6")]
)
def test_releases_that_are_strict_about_cudnn_get_their_own(version, cudnn):
    commands = fix(f"tf={version}", package="tensorflow-gpu").commands
    assert commands[0].endswith(f" cudnn={cudnn}")


def test_no_command_destroys():
    for version in ("1.4", "2.10", "2.13", "2.18"):
        for command in fix(f"tf={version}").commands:
            assert not {"uninstall", "rm", "purge", "remove"} & set(command.split())
