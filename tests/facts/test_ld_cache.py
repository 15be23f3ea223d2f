import os
import re
import shutil
import struct
import subprocess
from pathlib import Path

import pytest
from facts.fake_site import build_library
from hypothesis import given
from hypothesis import strategies as st

from fitguard.facts import ld_cache

ANY = re.compile(rb".*")
OWN_KIND = {"x86_64": 0x0303, "aarch64": 0x0A03}.get(os.uname().machine, 0x0303)


def new_format(*entries: tuple[str, str, int]) -> bytes:
    """A cache with (name, path, kind), in the format of glibc since 2.2."""
    strings = b""
    rows = b""
    table = 48 + 24 * len(entries)
    for name, path, kind in entries:
        key = table + len(strings)
        strings += name.encode() + b"\0"
        value = table + len(strings)
        strings += path.encode() + b"\0"
        rows += struct.pack("<iIIIQ", kind, key, value, 0, 0)
    head = b"glibc-ld.so.cache1.1" + struct.pack("<II", len(entries), len(strings)) + bytes(20)
    return head + rows + strings


TWO = new_format(
    ("libcudart.so.12", "/opt/a/libcudart.so.12", OWN_KIND),
    ("libz.so.1", "/lib/libz.so.1", OWN_KIND),
)


def read(path: Path, content: bytes, wanted: bytes = b".*") -> list[str]:
    path.write_bytes(content)
    return [str(item) for item in ld_cache.read(path, re.compile(wanted))]


def test_the_new_format(tmp_path: Path) -> None:
    assert read(tmp_path / "cache", TWO) == ["/opt/a/libcudart.so.12", "/lib/libz.so.1"]
    assert read(tmp_path / "cache", TWO, rb"libcudart\.so.*") == ["/opt/a/libcudart.so.12"]


def test_the_new_format_behind_the_old(tmp_path: Path) -> None:
    old = b"ld.so-1.7.0\0" + struct.pack("<I", 1) + struct.pack("<iII", 3, 0, 0)
    old += bytes(-len(old) % 8)
    assert read(tmp_path / "cache", old + TWO) == ["/opt/a/libcudart.so.12", "/lib/libz.so.1"]


def test_libraries_of_another_kind_are_left_out(tmp_path: Path) -> None:
    both = new_format(("libz.so.1", "/lib32/libz.so.1", 3), ("libz.so.1", "/l/libz.so.1", OWN_KIND))
    assert read(tmp_path / "cache", both) == ["/l/libz.so.1"]


def test_no_cache(tmp_path: Path) -> None:
    assert ld_cache.read(tmp_path / "nothing", ANY) == ()


@given(st.binary(max_size=300), st.integers(0, len(TWO)))
def test_a_broken_cache(
    tmp_path_factory: pytest.TempPathFactory, garbage: bytes, length: int
) -> None:
    path = tmp_path_factory.getbasetemp() / "cache"
    assert isinstance(read(path, TWO[:length] + garbage), list)


def test_a_cache_that_ldconfig_wrote(tmp_path: Path) -> None:
    ldconfig = shutil.which("ldconfig", path=f"{os.environ['PATH']}:/sbin:/usr/sbin")
    assert ldconfig, "glibc brings it"
    library = build_library(tmp_path / "lib/libcudart.so.12.2.140", "-Wl,-soname,libcudart.so.12")
    (tmp_path / "conf").write_text(f"{library.parent}\n")
    command = [ldconfig, "-f", str(tmp_path / "conf"), "-C", str(tmp_path / "cache")]
    subprocess.run(command, check=True, capture_output=True)
    found = ld_cache.read(tmp_path / "cache", re.compile(rb"libcudart\.so\..*"))
    assert found == (library.parent / "libcudart.so.12",)
