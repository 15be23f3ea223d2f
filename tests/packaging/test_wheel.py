"""The wheel, built and installed into an empty environment without TensorFlow."""

import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

TREE = Path(__file__).parent.parent.parent
LOG = TREE / "examples/logs/fragmentation.log"


def call(*command: str | Path, folder: Path, code: int = 0) -> str:
    """What a program prints; nothing of the tests' own environment is passed on."""
    kept = ("HOME", "LANG", "PATH")
    passed = {name: os.environ[name] for name in kept if name in os.environ}
    passed |= {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    done = subprocess.run(
        [*map(str, command)], cwd=folder, env=passed, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    call(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder, folder=TREE)
    return next(folder.glob("*.whl"))


def install(wheel: Path) -> Path:
    """The programs of an environment that has the wheel and what it asks for, and nothing else."""
    place = wheel.parent / "venv"
    call(sys.executable, "-m", "venv", "--without-pip", place, folder=wheel.parent)
    call(
        *(sys.executable, "-m", "pip", "--python", place / "bin/python", "install", "--quiet"),
        *("--disable-pip-version-check", "--constraint", TREE / "constraints.txt", wheel),
        folder=wheel.parent,
    )
    return place / "bin"


def test_what_is_in_it(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        metadata = archive.read(next(name for name in names if name.endswith("/METADATA"))).decode()
    assert "fitguard/py.typed" in names
    for folder in ("knowledge/tables", "knowledge/signatures", "knowledge/schemas", "report"):
        assert any(name.startswith(f"fitguard/{folder}/") for name in names)
    assert not [name for name in names if not name.startswith("fitguard")]
    for link in ("Documentation", "Changelog", "Issues", "Source"):
        assert f"Project-URL: {link}, https://" in metadata


def test_it_works_in_an_empty_environment(wheel, tmp_path):
    programs = install(wheel)
    assert "doctor" in call(programs / "fitguard", "--help", folder=tmp_path)
    assert "FG114" in call(programs / "fitguard", "doctor", folder=tmp_path, code=3)
    assert "gpu-fragmentation" in call(programs / "fitguard", "explain", LOG, folder=tmp_path)
    resolved = call(programs / "fitguard", "resolve", "--what-if", "gpu=K80", folder=tmp_path)
    assert "2.14.1" in resolved
    script = f"import fitguard; print(fitguard.explain({str(LOG)!r}).primary)"
    assert call(programs / "python", "-c", script, folder=tmp_path) == "gpu-fragmentation\n"


def test_the_recipe_of_conda_asks_for_the_same(wheel):
    recipe = (TREE / "conda/meta.yaml").read_text()
    with (TREE / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    for requirement in project["dependencies"]:
        wanted, _, marker = requirement.partition(";")
        name = wanted.split(">=")[0]
        if name != "hyperscan":  # conda-forge takes the one that all platforms have
            assert f"- {name} {wanted.removeprefix(name).strip()}\n" in recipe, marker
    assert f'version = "{wheel.name.split("-")[1]}"' in recipe
