import os
import re
from pathlib import Path

import pytest
from facts.fake_site import build_library
from facts.fake_tree import link, plant

from fitguard.facts.loader import Loader, Place

WANTED = re.compile(rb"libcudart\.so\..*")


def places(
    root: Path,
    environment: dict[str, str] | None = None,
    libraries: tuple[Path, ...] = (),
    executable: Path | None = None,
) -> list[tuple[str, str]]:
    """The directories before the cache, relative to the root, with what leads there."""
    order = Loader(environment or {}, executable, WANTED, root).search_order(libraries)
    return [(os.path.relpath(item.path, root), item.found_by) for item in order.before_cache]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return plant(tmp_path, {"a/": "", "b/": "", "c/": "", "tensorflow/": ""})


def runpath(root: Path, text: str, name: str = "libtensorflow_framework.so.2") -> Path:
    options = (f"-Wl,-rpath,{text}", "-Wl,--enable-new-dtags")
    return build_library(root / "tensorflow" / name, *options)


def rpath(root: Path, text: str, name: str = "libtensorflow_framework.so.2") -> Path:
    options = (f"-Wl,-rpath,{text}", "-Wl,--disable-new-dtags")
    return build_library(root / "tensorflow" / name, *options)


def test_library_path_comes_before_runpath(root: Path) -> None:
    own = runpath(root, f"{root}/b:$ORIGIN/../c")
    assert places(root, {"LD_LIBRARY_PATH": f"{root}/a"}, (own,)) == [
        ("a", "LD_LIBRARY_PATH"),
        ("b", "RUNPATH of libtensorflow_framework.so.2"),
        ("c", "RUNPATH of libtensorflow_framework.so.2"),
    ]


def test_rpath_comes_before_library_path(root: Path) -> None:
    own = rpath(root, "${ORIGIN}/../b")
    assert places(root, {"LD_LIBRARY_PATH": f"{root}/a"}, (own,)) == [
        ("b", "RPATH of libtensorflow_framework.so.2"),
        ("a", "LD_LIBRARY_PATH"),
    ]


def test_the_interpreters_rpath_counts_where_the_asking_library_has_no_runpath(root: Path) -> None:
    python = build_library(
        root / "bin/python", "-Wl,-rpath,$ORIGIN/../c", "-Wl,--disable-new-dtags"
    )
    plain = build_library(root / "tensorflow/plain.so")
    assert places(root, {}, (plain,), python) == [("c", "RPATH of python")]
    assert places(root, {}, (runpath(root, f"{root}/b"),), python) == [
        ("b", "RUNPATH of libtensorflow_framework.so.2")
    ]


def test_what_does_not_exist_is_not_searched_and_what_is_named_twice_once(root: Path) -> None:
    link(root, "again", "a")
    text = f"{root}/nothing:{root}/a:{root}/again:{root}/b;{root}/a"
    assert places(root, {"LD_LIBRARY_PATH": text}) == [
        ("a", "LD_LIBRARY_PATH"),
        ("b", "LD_LIBRARY_PATH"),
    ]


def test_an_empty_entry_is_the_current_directory(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root / "c")
    assert places(root, {"LD_LIBRARY_PATH": f"{root}/a:"}) == [
        ("a", "LD_LIBRARY_PATH"),
        ("c", "LD_LIBRARY_PATH"),
    ]
    assert places(root, {"LD_LIBRARY_PATH": ""}) == []


def test_a_broken_library_has_no_say(root: Path) -> None:
    plant(root, {"tensorflow/broken.so": "no library"})
    assert places(root, {}, (root / "tensorflow/broken.so", root / "gone.so")) == []


def test_the_default_directories_come_last(root: Path) -> None:
    multiarch = f"usr/lib/{os.uname().machine}-linux-gnu"
    plant(root, {"usr/lib64/": "", f"{multiarch}/": ""})
    link(root, "lib", "usr/lib")
    order = Loader({}, None, WANTED, root).search_order(())
    assert order.cached == ()
    assert order.after_cache == (
        Place(root / "usr/lib64", "default directory"),
        Place(root / f"lib/{os.uname().machine}-linux-gnu", "default directory"),
        Place(root / "lib", "default directory"),
    )
