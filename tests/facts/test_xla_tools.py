from pathlib import Path

import pytest
from facts.fake_tree import plant

from fitguard.facts.xla_tools import cuda_roots, find_libdevice, find_ptxas

LIBDEVICE = "nvvm/libdevice/libdevice.10.bc"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(plant(tmp_path, {"work/": ""}) / "work")
    return tmp_path


def put_toolkit(home: Path) -> Path:
    plant(home, {"bin/ptxas": "", LIBDEVICE: ""})
    (home / "bin/ptxas").chmod(0o755)
    return home


def found(root: Path, environment: dict[str, str] | None = None) -> tuple[Path, Path] | None:
    """The ptxas and the libdevice for a TensorFlow in root/env that was built with CUDA 12.5.1."""
    environment = environment or {}
    module = root / "env/lib/python3.11/site-packages/tensorflow"
    libraries = (module / "libtensorflow_cc.so.2", module / "python/_pywrap.so")
    roots = cuda_roots(environment, libraries, "12.5.1", root)
    ptxas, libdevice = find_ptxas(environment, roots), find_libdevice(roots)
    return (ptxas, libdevice) if ptxas and libdevice else None


def test_each_place_comes_before_the_next(root: Path) -> None:
    site = root / "env/lib/python3.11/site-packages"
    last_first = [
        root / "work",
        root / "env",
        site / "tensorflow/cuda",
        site / "nvidia/cu13",
        site / "nvidia/cuda_nvcc",
        root / "opt/cuda",
        root / "usr/local/cuda",
        root / "usr/local/cuda-12.5",
        root / "work/cuda_sdk_lib",
    ]
    assert found(root) is None
    for home in last_first:
        put_toolkit(home)
        assert found(root) == (home / "bin/ptxas", home / LIBDEVICE)


def test_the_directory_that_the_user_chose_comes_first(root: Path) -> None:
    put_toolkit(root / "usr/local/cuda")
    home = put_toolkit(root / "mine")
    flags = f"--xla_dump_to=/tmp --xla_gpu_cuda_data_dir={home} --xla_other"
    assert found(root, {"XLA_FLAGS": flags}) == (home / "bin/ptxas", home / LIBDEVICE)


def test_path_comes_before_the_usual_directories(root: Path) -> None:
    put_toolkit(root / "usr/local/cuda")
    mine = put_toolkit(root / "mine")
    assert found(root, {"PATH": str(mine / "bin")}) == (
        mine / "bin/ptxas",
        root / "usr/local/cuda" / LIBDEVICE,
    )


def test_cuda_home_does_not_count(root: Path) -> None:
    home = put_toolkit(root / "mine")
    assert found(root, {"CUDA_HOME": str(home)}) is None


def test_a_libdevice_in_the_current_directory(root: Path) -> None:
    plant(root, {"work/libdevice.10.bc": ""})
    assert find_libdevice([]) == root / "work/libdevice.10.bc"


def test_a_ptxas_that_may_not_be_executed(root: Path) -> None:
    home = put_toolkit(root / "usr/local/cuda")
    (home / "bin/ptxas").chmod(0o644)
    assert found(root) is None
