import sys
from pathlib import Path

import pytest
from facts.fake_site import build_library
from hypothesis import given, settings
from hypothesis import strategies as st

from fitguard.facts import elf
from fitguard.facts.elf import Elf


def real_library() -> Path:
    """A library that the running Python has loaded."""
    maps = Path("/proc/self/maps").read_text().splitlines()
    paths = ("/" + line.partition("/")[2] for line in maps)
    return next(Path(path) for path in paths if "libc.so" in path or "libc-2" in path)


def test_a_library_in_use() -> None:
    found = elf.read(real_library())
    assert found is not None
    assert found.soname == "libc.so.6"
    assert any(name.startswith("ld-") for name in found.needed)


def test_the_running_python() -> None:
    found = elf.read(Path(sys.executable))
    assert found is not None
    assert any(name.startswith("libc.") for name in found.needed)


def test_runpath(tmp_path: Path) -> None:
    path = build_library(
        tmp_path / "libown.so.1",
        "-Wl,-rpath,$ORIGIN/../nvidia/cudnn/lib:/opt/cuda/lib64",
        "-Wl,--enable-new-dtags",
        "-Wl,-soname,libown.so.1",
    )
    assert elf.read(path) == Elf(
        runpath=("$ORIGIN/../nvidia/cudnn/lib", "/opt/cuda/lib64"), soname="libown.so.1"
    )


def test_rpath(tmp_path: Path) -> None:
    path = build_library(
        tmp_path / "libown.so", "-Wl,-rpath,/opt/cuda/lib64", "-Wl,--disable-new-dtags"
    )
    assert elf.read(path) == Elf(rpath=("/opt/cuda/lib64",))


def test_needed(tmp_path: Path) -> None:
    other = build_library(tmp_path / "libother.so.3", "-Wl,-soname,libother.so.3")
    path = build_library(tmp_path / "libown.so", "-Wl,--no-as-needed", str(other))
    assert elf.read(path) == Elf(needed=("libother.so.3",))


@pytest.mark.parametrize(
    "content",
    [b"", b"\x7fELF", b"#!/bin/sh\n", b"\x7fELF\x01\x01" + bytes(100), b"\x7fELF\x02\x02" * 50],
    ids=["empty", "cut off", "script", "32 bit", "big endian"],
)
def test_no_64_bit_little_endian_library(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "lib.so"
    path.write_bytes(content)
    assert elf.read(path) is None


def test_no_file(tmp_path: Path) -> None:
    assert elf.read(tmp_path / "nothing") is None
    assert elf.read(tmp_path) is None


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("broken") / "lib.so"


@given(st.binary(max_size=400))
def test_garbage_behind_a_good_start(broken: Path, garbage: bytes) -> None:
    broken.write_bytes(b"\x7fELF\x02\x01" + garbage)
    assert elf.read(broken) is None or isinstance(elf.read(broken), Elf)


@settings(max_examples=300)
@given(
    length=st.integers(0, 4096), changes=st.dictionaries(st.integers(0, 1023), st.integers(0, 255))
)
def test_a_real_library_cut_off_and_changed(
    broken: Path, length: int, changes: dict[int, int]
) -> None:
    content = bytearray(real_library().read_bytes()[:length])
    for offset, value in changes.items():
        if offset < len(content):
            content[offset] = value
    broken.write_bytes(content)
    found = elf.read(broken)
    assert found is None or isinstance(found, Elf)
    assert elf.holds_texts(broken, [b"no such text"]) is False


def test_texts_among_constants(tmp_path: Path) -> None:
    path = build_library(tmp_path / "libown.so", source='const char *text = "one two";')
    assert elf.holds_texts(path, [b"one two"])
    assert not elf.holds_texts(path, [b"one"])
    assert not elf.holds_texts(path, [b"two"])
    assert not elf.holds_texts(path, [b"one two", b"three"])
    assert not elf.holds_texts(path, [b"text"])  # a name, and no constant
    assert not elf.holds_texts(tmp_path / "nothing", [b"one two"])
