from pathlib import Path

from facts.fake_tree import plant

from fitguard.facts.headers import read_encoded_version, read_split_version

CUDNN = ("CUDNN_MAJOR", "CUDNN_MINOR", "CUDNN_PATCHLEVEL")


def test_a_version_in_one_number(tmp_path: Path) -> None:
    plant(tmp_path, {"cuda.h": "/** text */\n#define CUDA_VERSION 12020\n"})
    assert read_encoded_version(tmp_path / "cuda.h", "CUDA_VERSION") == "12.2"
    assert read_encoded_version(tmp_path / "cuda.h", "CUDART_VERSION") is None
    assert read_encoded_version(tmp_path / "nothing.h", "CUDA_VERSION") is None


def test_a_version_in_parts(tmp_path: Path) -> None:
    text = "#define CUDNN_MAJOR 8\n# define  CUDNN_MINOR\t9\n#define CUDNN_PATCHLEVEL 7 // text\n"
    plant(tmp_path, {"cudnn_version.h": text, "half.h": "#define CUDNN_MAJOR 8\n"})
    assert read_split_version(tmp_path / "cudnn_version.h", CUDNN) == "8.9.7"
    assert read_split_version(tmp_path / "half.h", CUDNN) is None


def test_a_file_of_another_kind(tmp_path: Path) -> None:
    plant(tmp_path, {"cuda.h": bytes(range(256)) * 1000})
    assert read_encoded_version(tmp_path / "cuda.h", "CUDA_VERSION") is None
    assert read_split_version(tmp_path, CUDNN) is None
