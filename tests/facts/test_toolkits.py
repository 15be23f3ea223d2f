import json
from pathlib import Path

import pytest
from facts.fake_site import script
from facts.fake_tree import link, plant

from fitguard.facts import toolkits
from fitguard.facts.toolkits import Nvcc
from fitguard.schema.software import Toolkit

VERSIONS = json.dumps(
    {
        "cuda": {"name": "CUDA SDK", "version": "12.2.2"},
        "cuda_cudart": {"name": "CUDA Runtime", "version": "12.2.140"},
    }
)


def find(root: Path, environment: dict[str, str] | None = None) -> list[Toolkit]:
    nvcc = toolkits.find_nvcc(environment or {})
    return list(toolkits.find(environment or {}, nvcc, root))


@pytest.mark.parametrize(
    ("folder", "files", "version", "source"),
    [
        ("cuda-12.2", {"version.json": VERSIONS}, "12.2.2", "version.json"),
        ("cuda-10.1", {"version.txt": "CUDA Version 10.1.243\n"}, "10.1.243", "version.txt"),
        ("cuda-11.8", {"include/cuda.h": ""}, "11.8", "the directory's name"),
        ("cuda", {"include/cuda.h": "#define CUDA_VERSION 11040\n"}, "11.4", "include/cuda.h"),
        ("cuda", {"version.json": "{", "nvvm/libdevice/": ""}, None, None),
        ("cuda", {"version.json": '{"cuda": []}'}, None, None),
    ],
)
def test_versions(
    tmp_path: Path, folder: str, files: dict[str, str], version: str | None, source: str | None
) -> None:
    home = plant(tmp_path / "usr/local" / folder, files)
    (found,) = find(tmp_path)
    assert (found.version, found.path, found.nvcc) == (version, str(home), False)
    assert found.origin == f"in {home.parent}" + (f", version from {source}" if source else "")


def test_a_link_is_no_second_toolkit_and_an_empty_directory_none(tmp_path: Path) -> None:
    plant(tmp_path / "usr/local", {"cuda-12.2/bin/nvcc": "", "cuda-keyring/": "", "cuda.txt": ""})
    link(tmp_path, "usr/local/cuda", "cuda-12.2")
    link(tmp_path, "usr/local/cuda-loop", "cuda-loop")
    (found,) = find(tmp_path)
    assert found.path == str(tmp_path / "usr/local/cuda-12.2")
    assert found.nvcc


def test_toolkits_elsewhere(tmp_path: Path) -> None:
    for name in ("opt/cuda-11", "usr/lib/cuda", "home/me/cuda"):
        plant(tmp_path / name, {"include/cuda.h": ""})
    found = find(tmp_path, {"CUDA_HOME": str(tmp_path / "home/me/cuda"), "CUDA_PATH": ""})
    assert [Path(item.path).relative_to(tmp_path).as_posix() for item in found] == [
        "home/me/cuda",
        "opt/cuda-11",
        "usr/lib/cuda",
    ]
    assert found[0].origin == "$CUDA_HOME"


def test_library_directories(tmp_path: Path) -> None:
    folders = ("lib64", "targets/x86_64-linux/lib", "extras/CUPTI/lib64", "nvvm/lib64")
    plant(tmp_path, {f"{name}/": "" for name in folders})
    found = toolkits.library_directories(Toolkit("12.2", str(tmp_path)))
    assert [path.relative_to(tmp_path).as_posix() for path in found] == [
        "lib64",
        "targets/x86_64-linux/lib",
        "extras/CUPTI/lib64",
    ]


def test_component_versions(tmp_path: Path) -> None:
    plant(tmp_path, {"version.json": VERSIONS})
    assert toolkits.component_version(tmp_path, "cuda_cudart") == "12.2.140"
    assert toolkits.component_version(tmp_path, "libcublas") is None
    assert toolkits.component_version(tmp_path / "nothing", "cuda") is None


def test_nvcc_behind_a_shell_script(tmp_path: Path) -> None:
    home = plant(tmp_path / "usr/local/cuda-12.2", {"bin/nvcc": b"\x7fELF" + bytes(5000)})
    wrapper = tmp_path / "bin/nvcc"
    plant(tmp_path, {"bin/nvcc": f'#!/bin/sh\nexec {home}/bin/nvcc "$@"\n'})
    wrapper.chmod(0o755)
    environment = {"PATH": str(wrapper.parent)}
    nvcc = toolkits.find_nvcc(environment)
    assert nvcc == Nvcc(wrapper, home / "bin/nvcc")
    assert nvcc is not None
    found = toolkits.find(environment, nvcc, tmp_path)
    assert toolkits.nvcc_version(nvcc, found, environment) == "12.2"


def test_the_toolkit_of_nvcc_is_found_anywhere(tmp_path: Path) -> None:
    home = plant(tmp_path / "home/me/cuda-12.1", {"bin/": ""})
    script(home / "bin/nvcc", "")
    (found,) = find(tmp_path, {"PATH": str(home / "bin")})
    assert (found.version, found.path) == ("12.1", str(home))
    assert found.origin.startswith("nvcc on PATH")


@pytest.mark.parametrize(
    ("body", "version"),
    [
        ("print('Cuda compilation tools, release 11.8, V11.8.89')", "11.8.89"),
        ("print('Cuda compilation tools, release 9.1')", "9.1"),
        ("print('nothing')", None),
        ("import os; os.kill(os.getpid(), 11)", None),
    ],
)
def test_nvcc_is_asked_where_no_toolkit_tells(
    tmp_path: Path, body: str, version: str | None
) -> None:
    path = script(plant(tmp_path, {"bin/": ""}) / "bin/nvcc", body)
    assert toolkits.nvcc_version(Nvcc(path, path), (), {}) == version


def test_no_nvcc(tmp_path: Path) -> None:
    assert toolkits.find_nvcc({"PATH": str(tmp_path)}) is None
    assert toolkits.find_nvcc({}) is None
