from pathlib import Path

from facts.fake_site import install
from facts.fake_tree import plant

from fitguard.facts.wheels import Wheel, Wheels, library_directories

LIBRARY = "nvidia/cudnn/lib/libcudnn.so.9"


def test_the_owner_by_record(tmp_path: Path) -> None:
    install(tmp_path, "nvidia-cudnn-cu12", "9.3.0.75", {LIBRARY: "cudnn"})
    install(tmp_path, "numpy", "1.0", {"numpy.libs/libother.so": ""})
    wheels = Wheels([tmp_path])
    assert wheels.owner(tmp_path / LIBRARY) == Wheel("nvidia-cudnn-cu12", "9.3.0.75")
    assert wheels.owner(tmp_path / "numpy.libs/libother.so") is None


def test_of_two_wheels_that_claim_a_file_the_size_tells_whose_it_is(tmp_path: Path) -> None:
    install(tmp_path, "nvidia-cudnn-cu11", "9.1.0.70", {LIBRARY: "for cuda 11"})
    install(tmp_path, "nvidia-cudnn-cu12", "9.3.0.75", {LIBRARY: "for 12"})
    assert Wheels([tmp_path]).owner(tmp_path / LIBRARY) == Wheel("nvidia-cudnn-cu12", "9.3.0.75")
    plant(tmp_path, {LIBRARY: "for cuda 11"})
    assert Wheels([tmp_path]).owner(tmp_path / LIBRARY) == Wheel("nvidia-cudnn-cu11", "9.1.0.70")


def test_broken_records(tmp_path: Path) -> None:
    plant(
        tmp_path,
        {
            "nvidia_a-1.0.dist-info/METADATA": "",
            "nvidia_b-1.0.dist-info/RECORD": b'"\xff\n,,,,\nlib.so.1\n',
            LIBRARY: "",
        },
    )
    assert Wheels([tmp_path, tmp_path / "nothing"]).owner(tmp_path / LIBRARY) is None


def test_directories(tmp_path: Path) -> None:
    folders = ("nvidia/cudnn/lib", "nvidia/cu13/lib", "nvidia/cuda_nvcc/bin", "tensorrt_libs")
    plant(tmp_path, {f"{name}/": "" for name in folders})
    found = [path.relative_to(tmp_path).as_posix() for path in library_directories([tmp_path])]
    assert found == ["nvidia/cu13/lib", "nvidia/cudnn/lib", "tensorrt_libs"]
    assert list(library_directories([tmp_path / "nothing"])) == []
