import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from facts.fake_site import build_library, install
from facts.fake_tree import link, plant

from fitguard.facts import elf, interpreter, ld_cache, libraries
from fitguard.schema.software import CudaLibraries, Library, Python

ASKING = """
#include <dlfcn.h>
int ask(const char *name) { return dlopen(name, RTLD_NOW | RTLD_LOCAL) != 0; }
"""
OBSERVE = """
import ctypes, sys
assert ctypes.CDLL(sys.argv[1]).ask(sys.argv[2].encode())
lines = open('/proc/self/maps').read().splitlines()
print(next(line for line in lines if 'libcudart' in line).partition('/')[2])
"""


def find(root: Path, environment: dict[str, str] | None = None, **given: object) -> CudaLibraries:
    given = {"tensorflow_libraries": (), "site_directories": (), "python": None, **given}
    return libraries.find(environment or {}, root=root, **given)  # type: ignore[arg-type]


def put_library(path: Path, *links: str) -> None:
    """A file that stands for a library, with links to it."""
    plant(path.parent, {path.name: path.name})
    for name in links:
        link(path.parent, name, path.name)


def told(found: CudaLibraries) -> list[tuple[str, str | None, str, bool]]:
    return [(item.soname, item.version, item.found_by, item.searched) for item in found.found]


def test_this_machine_in_good_time() -> None:
    told = interpreter.interview(None, os.environ)
    seconds = []
    for _ in range(5):
        start = time.process_time()
        found = libraries.find(
            os.environ, told.python, told.tensorflow_libraries, told.site_directories
        )
        seconds.append(time.process_time() - start)
    assert found.complete
    assert all(Path(item.path).is_file() for item in found.found)
    assert min(seconds) < 0.1


def test_every_file_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Path] = []
    for module in (elf, ld_cache):

        def counted(path: Path, *more: object, real: Callable[..., Any] = module.read) -> Any:
            read.append(path)
            return real(path, *more)

        monkeypatch.setattr(module, "read", counted)
    names = ("libtensorflow_framework.so.2", "libtensorflow_cc.so.2")
    own = [build_library(tmp_path / "tensorflow" / name) for name in names]
    python = Python(version="3.11", executable=sys.executable)
    find(tmp_path, tensorflow_libraries=own, python=python)
    expected = [*own, Path(sys.executable), tmp_path / "etc/ld.so.cache"]
    assert sorted(read) == sorted(expected)


def test_an_empty_machine(tmp_path: Path) -> None:
    assert find(tmp_path) == CudaLibraries(complete=True, library_path=())


def test_the_name_that_programs_ask_for(tmp_path: Path) -> None:
    put_library(tmp_path / "lib/libcudnn.so.8.9.7", "libcudnn.so.8", "libcudnn.so")
    put_library(tmp_path / "lib/libcudnn_ops_infer.so.8.9.7", "libcudnn_ops_infer.so.8")
    (found,) = find(tmp_path, {"LD_LIBRARY_PATH": f"{tmp_path}/lib"}).found
    assert found == Library(
        component="cudnn",
        soname="libcudnn.so.8",
        path=str(tmp_path / "lib/libcudnn.so.8"),
        version="8.9.7",
        version_from="file name",
        found_by="LD_LIBRARY_PATH",
    )


def test_a_link_under_a_false_name_is_a_candidate_of_its_own(tmp_path: Path) -> None:
    links = ("libcudart.so.11.0", "libcudart.so.10.1", "libcudart.so")
    put_library(tmp_path / "lib/libcudart.so.11.8.89", *links)
    assert told(find(tmp_path, {"LD_LIBRARY_PATH": f"{tmp_path}/lib"})) == [
        ("libcudart.so.10.1", "11.8.89", "LD_LIBRARY_PATH", True),
        ("libcudart.so.11.0", "11.8.89", "LD_LIBRARY_PATH", True),
    ]


def test_every_component(tmp_path: Path) -> None:
    for name in ("cudart", "cublasLt", "nvJitLink", "nvinfer", "nvinfer_plugin", "cuda", "nvvm"):
        put_library(tmp_path / f"usr/lib/lib{name}.so.12")
    assert {item.component for item in find(tmp_path).found} == {
        *("cudart", "cublasLt", "nvjitlink", "nvinfer", "nvinfer_plugin")
    }


def test_a_link_to_nothing_is_no_library(tmp_path: Path) -> None:
    link(tmp_path, "usr/lib/libcudnn.so.9", "gone")
    plant(tmp_path, {"usr/lib/libcudart.so.12/": ""})
    assert find(tmp_path).found == ()


def test_a_file_without_a_link_of_its_soname_is_not_reached(tmp_path: Path) -> None:
    build_library(tmp_path / "usr/lib/libcudnn.so.8.9.7", "-Wl,-soname,libcudnn.so.8")
    assert told(find(tmp_path)) == [
        (
            "libcudnn.so.8",
            "8.9.7",
            "default directory, but there is no link libcudnn.so.8",
            False,
        )
    ]
    link(tmp_path, "usr/lib/libcudnn.so.8", "libcudnn.so.8.9.7")
    assert told(find(tmp_path)) == [("libcudnn.so.8", "8.9.7", "default directory", True)]


def test_toolkits_that_the_loader_does_not_search_come_last(tmp_path: Path) -> None:
    home = tmp_path / "usr/local/cuda-12.2"
    put_library(home / "lib64/libcudart.so.12.2.140", "libcudart.so.12")
    put_library(tmp_path / "usr/lib/libcudart.so.11.8.89", "libcudart.so.11.0")
    unused = f"toolkit {home}, not on the loader's path"
    found = find(tmp_path)
    assert told(found) == [
        ("libcudart.so.11.0", "11.8.89", "default directory", True),
        ("libcudart.so.12", "12.2.140", unused, False),
    ]
    assert [item.version for item in found.toolkits] == ["12.2"]


def test_a_library_stays_where_it_was_found_first(tmp_path: Path) -> None:
    home = tmp_path / "usr/local/cuda-12.2"
    put_library(home / "lib64/libcudart.so.12.2.140", "libcudart.so.12")
    link(tmp_path, "usr/local/cuda", "cuda-12.2")
    environment = {"LD_LIBRARY_PATH": f"{tmp_path}/usr/local/cuda/lib64"}
    found = find(tmp_path, environment)
    assert told(found) == [("libcudart.so.12", "12.2.140", "LD_LIBRARY_PATH", True)]
    assert found.library_path == (f"{tmp_path}/usr/local/cuda/lib64",)


def test_two_cudnn_wheels_beside_a_tensorflow_that_leads_there(tmp_path: Path) -> None:
    site = tmp_path / "site"
    own = build_library(
        site / "tensorflow/libtensorflow_cc.so.2",
        "-Wl,-rpath,$ORIGIN/../nvidia/cudnn/lib",
        "-Wl,--enable-new-dtags",
    )
    install(site, "nvidia-cudnn-cu11", "8.9.6.50", {"nvidia/cudnn/lib/libcudnn.so.8": "old"})
    install(site, "nvidia-cudnn-cu12", "9.3.0.75", {"nvidia/cudnn/lib/libcudnn.so.9": "new"})
    install(site, "nvidia-nccl-cu12", "2.21.5", {"nvidia/nccl/lib/libnccl.so.2": "nccl"})
    found = find(tmp_path, tensorflow_libraries=(own,), site_directories=(site,))
    way = "RUNPATH of libtensorflow_cc.so.2"
    assert told(found) == [
        ("libcudnn.so.8", "8.9.6.50", way, True),
        ("libcudnn.so.9", "9.3.0.75", way, True),
        ("libnccl.so.2", "2.21.5", "wheel nvidia-nccl-cu12, not on the loader's path", False),
    ]
    assert [item.package for item in found.candidates("cudnn")] == [
        "nvidia-cudnn-cu11",
        "nvidia-cudnn-cu12",
    ]
    assert found.found[0].path == str(site / "nvidia/cudnn/lib/libcudnn.so.8")


def test_only_the_library_that_opens_the_others_leads_the_way(tmp_path: Path) -> None:
    site = tmp_path / "site"
    framework, rest = (
        build_library(
            site / f"tensorflow/libtensorflow_{name}.so.2",
            f"-Wl,-rpath,$ORIGIN/../nvidia/{folder}/lib",
            "-Wl,--enable-new-dtags",
        )
        for name, folder in (("framework", "cudnn"), ("cc", "both"))
    )
    install(site, "nvidia-cudnn-cu12", "9.3.0.75", {"nvidia/cudnn/lib/libcudnn.so.9": "cudnn"})
    both = {"nvidia/both/lib/libcusolver.so.11": "a", "nvidia/both/lib/libnccl.so.2": "b"}
    install(site, "nvidia-both-cu12", "1.0", both)
    found = find(tmp_path, tensorflow_libraries=(framework, rest), site_directories=(site,))
    searched = {item.component: item.searched for item in found.found}
    assert searched == {"cudnn": True, "nccl": True, "cusolver": False}


def test_a_conda_environment(tmp_path: Path) -> None:
    prefix = plant(tmp_path / "conda", {"conda-meta/history": ""})
    put_library(prefix / "lib/libcudnn.so.8.9.2", "libcudnn.so.8")
    python = Python(version="3.11.0", prefix=str(prefix))
    expected = [("libcudnn.so.8", "8.9.2", "conda environment, not on the loader's path", False)]
    assert told(find(tmp_path, python=python)) == expected
    assert told(find(tmp_path, {"CONDA_PREFIX": str(prefix)})) == expected
    assert told(find(tmp_path, {"CONDA_PREFIX": str(tmp_path / "no conda")})) == []


def test_the_build_leads_xla_to_its_toolkit(tmp_path: Path) -> None:
    libdevice = tmp_path / "usr/local/cuda-12.5/nvvm/libdevice/libdevice.10.bc"
    plant(libdevice.parent, {libdevice.name: ""})
    assert find(tmp_path).libdevice is None
    assert find(tmp_path, cuda_build="12.5").libdevice == str(libdevice)


def test_other_systems_are_not_searched(tmp_path: Path) -> None:
    assert find(tmp_path, platform="win32") == CudaLibraries()


@pytest.mark.parametrize("kind", ["--enable-new-dtags", "--disable-new-dtags"])
@pytest.mark.parametrize("by_variable", [True, False])
def test_the_real_loader_takes_the_first_candidate(
    tmp_path: Path, kind: str, by_variable: bool
) -> None:
    for name in ("variable", "own"):
        path = tmp_path / name / "libcudart.so.12"
        build_library(path, "-Wl,-soname,libcudart.so.12")
    asking = build_library(
        tmp_path / "tensorflow/libtensorflow_framework.so.2",
        "-Wl,-rpath,$ORIGIN/../own",
        f"-Wl,{kind}",
        source=ASKING,
    )
    environment = {"LD_LIBRARY_PATH": str(tmp_path / "variable")} if by_variable else {}
    command = [sys.executable, "-c", OBSERVE, str(asking), "libcudart.so.12"]
    taken = subprocess.run(
        command, env={**os.environ, **environment}, capture_output=True, text=True, check=True
    )
    python = Python(version="3.11", executable=sys.executable)
    found = find(tmp_path, environment, tensorflow_libraries=(asking,), python=python)
    assert found.candidates("cudart")[0].path == "/" + taken.stdout.strip()
