import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from facts.fake_site import (
    CPU_BUILD_INFO,
    NEW_BUILD_INFO,
    OLD_BUILD_INFO,
    install,
    make_environment,
    tensorflow_files,
)
from facts.fake_tree import link, plant

from fitguard.facts import interpreter

AGENT = interpreter.AGENT


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty virtual environment, for all tests here."""
    path = tmp_path_factory.mktemp("home")
    make_environment(path)
    return path


def ask(home: Path, *sites: Path, python: str | None = None) -> dict:
    """The agent's answer with these site directories first."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, sites))}
    command = [python or str(home / "bin/python"), str(AGENT)]
    done = subprocess.run(command, env=environment, capture_output=True, check=True)
    assert done.stderr == b""
    line = done.stdout.splitlines()[-1]
    return json.loads(line.removeprefix(interpreter.MARK))


def test_its_syntax_is_that_of_python_2_7_and_3_4() -> None:
    vermin = Path(sys.executable).with_name("vermin")
    command = [str(vermin), "-t=2.7", "-t=3.4-", "--violations", str(AGENT)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def other_pythons() -> list[Path]:
    """Interpreters of other versions that pyenv or the system has."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    found = sorted(pyenv.glob("versions/*/bin/python"))
    on_path = (shutil.which(f"python{version}") for version in ("2.7", "3.9", "3.12", "3.13"))
    working = [Path(name) for name in on_path if name and "shims" not in Path(name).parts]
    return [*found, *working]


@pytest.mark.parametrize("other", other_pythons(), ids=str)
def test_it_runs_in_other_pythons(tmp_path: Path, home: Path, other: Path) -> None:
    install(tmp_path, "tensorflow-gpu", "1.14.0", tensorflow_files(OLD_BUILD_INFO))
    install(tmp_path, "numpy", "1.16.6")
    told = ask(home, tmp_path, python=str(other))
    assert told["failed"] == {}
    said = subprocess.run([other, "--version"], capture_output=True)
    assert told["python"]["version"].encode() in said.stdout + said.stderr
    assert told["platform"]["libc"]
    assert [item["version"] for item in told["packages"] if item["location"] == str(tmp_path)] == [
        "1.16.6",
        "1.14.0",
    ]
    assert told["tensorflow"]["build"]["cuda_version_number"] == "10.0"


def test_python_and_platform(home: Path) -> None:
    told = ask(home)
    assert told["python"]["version"] == ".".join(map(str, sys.version_info[:3]))
    assert told["python"]["prefix"] == str(home)
    assert told["python"]["base_prefix"] == sys.base_prefix
    assert told["python"]["implementation"] == "cpython"
    assert told["python"]["conda"] is False
    assert told["platform"]["machine"] == os.uname().machine
    assert told["platform"]["kernel"] == os.uname().release
    assert told["packages"] == []
    assert told["tensorflow"] is None
    assert told["failed"] == {}


def test_its_own_directory_is_not_searched(home: Path) -> None:
    assert str(AGENT.parent) not in ask(home)["site_directories"]


def test_only_packages_that_matter_are_listed(home: Path, tmp_path: Path) -> None:
    for name in ("numpy", "Keras-Preprocessing", "nvidia-cudnn-cu12", "requests", "tensorboard"):
        install(tmp_path, name, "1.0")
    names = [item["name"] for item in ask(home, tmp_path)["packages"]]
    assert names == ["keras-preprocessing", "numpy", "nvidia-cudnn-cu12"]


def test_installers(home: Path, tmp_path: Path) -> None:
    install(tmp_path, "numpy", "1.26.4", INSTALLER="conda")
    install(tmp_path, "scipy", "1.11", INSTALLER="uv", REQUESTED="")
    editable = '{"dir_info": {"editable": true}, "url": "file:///src/keras"}'
    install(tmp_path, "keras", "3.0", **{"direct_url.json": editable})
    found = {item["name"]: item for item in ask(home, tmp_path)["packages"]}
    assert {name: item["installer"] for name, item in found.items()} == {
        "numpy": "conda",
        "scipy": "uv",
        "keras": "editable",
    }
    assert found["scipy"]["requested"] is True
    assert found["numpy"]["requested"] is None


def test_requested_is_unknown_where_no_package_has_the_mark(home: Path, tmp_path: Path) -> None:
    install(tmp_path, "numpy", "1.26.4")
    assert ask(home, tmp_path)["packages"][0]["requested"] is None
    install(tmp_path, "scipy", "1.11", REQUESTED="")
    assert [item["requested"] for item in ask(home, tmp_path)["packages"]] == [False, True]


def test_conda_packages_are_known_by_conda_meta(tmp_path: Path) -> None:
    _, site = make_environment(tmp_path)
    plant(tmp_path, {"conda-meta/numpy-1.26.4-py311h64a7726_0.json": "{}"})
    info = "Name: numpy\nVersion: 1.26.4\n"
    plant(site, {"numpy-1.26.4-py3.11.egg-info": info})
    told = ask(tmp_path)
    assert told["python"]["conda"] is True
    assert [(item["name"], item["installer"]) for item in told["packages"]] == [("numpy", "conda")]


def test_copies_stand_in_import_order(home: Path, tmp_path: Path) -> None:
    install(tmp_path / "first", "protobuf", "3.20.3")
    install(tmp_path / "second", "protobuf", "5.28.0")
    found = ask(home, tmp_path / "first", tmp_path / "second")["packages"]
    assert [(item["version"], item["location"]) for item in found] == [
        ("3.20.3", str(tmp_path / "first")),
        ("5.28.0", str(tmp_path / "second")),
    ]


def test_of_two_copies_in_one_directory_the_last_installed_is_first(
    home: Path, tmp_path: Path
) -> None:
    install(tmp_path, "numpy", "1.26.4")
    stale = install(tmp_path, "numpy", "2.0.0")
    os.utime(stale / "METADATA", (1, 1))
    assert [item["version"] for item in ask(home, tmp_path)["packages"]] == ["1.26.4", "2.0.0"]


def test_a_directory_that_is_linked_twice_counts_once(home: Path, tmp_path: Path) -> None:
    install(tmp_path / "lib", "numpy", "1.26.4")
    link(tmp_path, "lib64", "lib")
    assert len(ask(home, tmp_path / "lib", tmp_path / "lib64")["packages"]) == 1


def test_egg_links_are_followed(home: Path, tmp_path: Path) -> None:
    source = plant(tmp_path / "src", {"keras.egg-info/PKG-INFO": "Name: Keras\nVersion: 2.4.3\n"})
    site = plant(tmp_path / "site", {"Keras.egg-link": f"{source}\n.", "easy-install.pth": ""})
    source.joinpath("keras.egg-info").rename(source / "Keras.egg-info")
    (package,) = ask(home, site, source)["packages"]
    assert (package["name"], package["version"]) == ("keras", "2.4.3")
    assert (package["installer"], package["location"]) == ("editable", str(source))


def test_broken_metadata_is_told(home: Path, tmp_path: Path) -> None:
    plant(
        tmp_path, {"h5py-3.1.0.dist-info/RECORD": "", "gast-0.4.dist-info/METADATA": "Name: gast"}
    )
    gast, h5py = ask(home, tmp_path)["packages"]
    assert gast["version"] is None
    assert "names no version" in gast["problem"]
    assert h5py["version"] is None
    assert "no METADATA" in h5py["problem"]


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("~ensorflow-2.1.0.dist-info", "~ensorflow"),
        ("~~nsorflow_gpu-2.1.0.dist-info", "~~nsorflow-gpu"),
        ("-umpy-1.19.dist-info", "-umpy"),
        ("~vidia_cudnn_cu12-9.3.0.75.dist-info", "~vidia-cudnn-cu12"),
    ],
)
def test_leftovers_of_pip_come_last(home: Path, tmp_path: Path, folder: str, name: str) -> None:
    plant(tmp_path, {f"{folder}/METADATA": "Name: tensorflow\nVersion: 2.1.0\n"})
    install(tmp_path, "wrapt", "1.14")
    wrapt, leftover = ask(home, tmp_path)["packages"]
    assert wrapt["name"] == "wrapt"
    assert leftover["name"] == name
    assert folder in leftover["problem"]


def test_leftovers_of_other_packages_do_not_matter(home: Path, tmp_path: Path) -> None:
    plant(tmp_path, {"~equests-2.1.0.dist-info/METADATA": "Name: requests\nVersion: 2.1.0\n"})
    assert ask(home, tmp_path)["packages"] == []


def test_the_build_since_2_3(home: Path, tmp_path: Path) -> None:
    files = tensorflow_files(NEW_BUILD_INFO)
    install(tmp_path, "tensorflow", "2.18.0", files, **{"top_level.txt": "tensorflow\n"})
    install(tmp_path, "tensorflow-hub", "0.16.0", **{"top_level.txt": "tensorflow_hub\n"})
    told = ask(home, tmp_path)
    found = told["tensorflow"]
    assert (found["package"], found["version"]) == ("tensorflow", "2.18.0")
    assert found["build"]["cuda_version"] == "12.5.1"
    assert found["build"]["cuda_compute_capabilities"][-1] == "compute_90"
    assert [Path(path).name for path in found["libraries"]] == [
        "libtensorflow_framework.so.2",
        "libtensorflow_cc.so.2",
        "_pywrap_tensorflow_internal.so",
    ]
    assert told["failed"] == {}


def test_the_build_in_tensorflow_core(home: Path, tmp_path: Path) -> None:
    files = tensorflow_files(OLD_BUILD_INFO, "tensorflow_core")
    install(tmp_path, "tensorflow-gpu", "2.0.0", files)
    found = ask(home, tmp_path)["tensorflow"]
    assert (found["package"], found["build"]["cudnn_version_number"]) == ("tensorflow-gpu", "7")
    assert found["location"] == str(tmp_path / "tensorflow")
    assert len(found["libraries"]) == 3


def test_of_two_owners_the_one_whose_bytes_lie_there_counts(home: Path, tmp_path: Path) -> None:
    named = {"top_level.txt": "tensorflow\n"}
    install(tmp_path, "tensorflow", "2.17.0", tensorflow_files(NEW_BUILD_INFO), **named)
    install(tmp_path, "tensorflow-cpu", "2.18.0", tensorflow_files(CPU_BUILD_INFO), **named)
    assert ask(home, tmp_path)["tensorflow"]["package"] == "tensorflow-cpu"
    install(tmp_path, "tensorflow", "2.17.0", tensorflow_files(NEW_BUILD_INFO), **named)
    assert ask(home, tmp_path)["tensorflow"]["package"] == "tensorflow"


@pytest.mark.parametrize(
    ("files", "taken"),
    [
        ({"tensorflow.py": ""}, "tensorflow.py"),
        ({"tensorflow.py": "", "tensorflow/python/x.py": ""}, "tensorflow.py"),
        ({"tensorflow.py": "", "tensorflow/__init__.py": ""}, "tensorflow"),
    ],
)
def test_a_file_named_tensorflow_is_taken_where_python_takes_it(
    home: Path, tmp_path: Path, files: dict[str, str], taken: str
) -> None:
    mine = plant(tmp_path / "mine", files)
    site = tmp_path / "site"
    install(site, "tensorflow", "2.18.0", tensorflow_files(NEW_BUILD_INFO))
    told = ask(home, mine, site)
    assert told["tensorflow"]["location"] == str(mine / taken)
    assert told["failed"] == {}
    python_takes = subprocess.run(
        [home / "bin/python", "-c", "import tensorflow; print(tensorflow.__file__)"],
        env={**os.environ, "PYTHONPATH": f"{mine}{os.pathsep}{site}"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert python_takes.stdout.startswith(str(mine / taken))


def test_the_version_of_a_copy_without_metadata(home: Path, tmp_path: Path) -> None:
    plant(tmp_path, tensorflow_files(NEW_BUILD_INFO))
    assert ask(home, tmp_path)["tensorflow"]["version"] is None
    header = "#define TF_MAJOR_VERSION 2\n#define TF_MINOR_VERSION 9\n#define TF_PATCH_VERSION 1\n"
    plant(tmp_path, {"tensorflow/include/tensorflow/core/public/version.h": header})
    assert ask(home, tmp_path)["tensorflow"]["version"] == "2.9.1"


@pytest.mark.parametrize("build_info", ["build_info = = 3", "build_info = {1}", "x = {3: {4}}\0"])
def test_a_broken_build_costs_the_build_only(home: Path, tmp_path: Path, build_info: str) -> None:
    install(tmp_path, "tensorflow", "2.18.0", tensorflow_files(build_info))
    told = ask(home, tmp_path)
    assert list(told["failed"]) == ["tensorflow_build"]
    assert told["tensorflow"]["version"] == "2.18.0"
    assert told["tensorflow"]["build"] == {}


def test_names_that_are_no_unicode(home: Path, tmp_path: Path) -> None:
    site = tmp_path / os.fsdecode(b"s\xff\xfe")
    install(site, "numpy", "1.26.4")
    told = ask(home, site)
    assert told["packages"][0]["version"] == "1.26.4"
    assert told["failed"] == {}
