from pathlib import Path

import pytest
from facts.fake_tree import plant

from fitguard.facts.shadowing import find
from fitguard.schema.software import Package


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("files", "shadows"),
    [
        (("tensorflow.py",), ("tensorflow.py",)),
        (("keras.py", "tensorflow.py"), ("tensorflow.py", "keras.py")),
        (("tensorflow/__init__.py", "tensorflow.py"), ("tensorflow",)),
        (("keras/__init__.py",), ("keras",)),
        # Python takes an installed package before such a folder.
        (("tensorflow/train.py", "keras/model.h5"), ()),
        (("train.py", "tensorflow.txt"), ()),
    ],
)
def test_what_a_script_here_would_import(
    tmp_path: Path, files: tuple[str, ...], shadows: tuple[str, ...]
) -> None:
    plant(tmp_path, dict.fromkeys(files, ""))
    assert find((), {}) == tuple(str(tmp_path / name) for name in shadows)


def test_a_site_directory_shadows_nothing(tmp_path: Path) -> None:
    plant(tmp_path, {"tensorflow/__init__.py": "", "keras.py": ""})
    owner = Package(name="tensorflow-cpu", version="2.18.0", location=str(tmp_path))
    assert find([owner], {}) == (str(tmp_path / "keras.py"),)


def test_the_source_of_an_editable_install_shadows_nothing(tmp_path: Path) -> None:
    plant(tmp_path, {"keras/__init__.py": ""})
    owner = Package(name="keras", version="3.0", location="/site", installer="editable")
    assert find([owner], {}) == ()
    assert find([Package(name="keras", version="3.0", location="/site")], {}) != ()


def test_a_safe_path_has_no_folder_of_the_script(tmp_path: Path) -> None:
    plant(tmp_path, {"tensorflow.py": ""})
    assert find((), {"PYTHONSAFEPATH": "1"}) == ()


def test_a_current_folder_that_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert find((), {}) == ()
