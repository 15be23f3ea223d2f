"""One file, whole or not at all."""

import json
import math
import struct
import zlib
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from fitguard.keras.snapshots.content import Content
from fitguard.keras.snapshots.file import read_snapshot, write_snapshot
from fitguard.monitor.unusable_snapshots import NewerSnapshot, TornSnapshot, UnreadableSnapshot

ARRAYS: dict[str, np.ndarray] = {
    "float32": np.arange(6, dtype="f4").reshape(2, 3),
    "bfloat16": np.array([1.5, math.nan, -0.0], ml_dtypes.bfloat16),
    "float8": np.array([0.5], ml_dtypes.float8_e4m3fn),
    "int4": np.array([-3], ml_dtypes.int4),
    "bool": np.array([[True, False]]),
    "scalar": np.array(7, "u8"),
    "empty": np.zeros((0, 5), "f2"),
    "text": np.array(["äß", "long text"]),
    "bytes": np.array([b"a", b"bc"]),
    "time": np.array(["2020-02-29"], "M8[D]"),
    "complex": np.array([1 + 2j]),
    "big-endian": np.array([1, 2], ">i4"),
    "transposed": np.arange(12).reshape(3, 4).T,
    "strided": np.arange(10)[::3],
    "read-only": np.broadcast_to(np.float32(3), (2, 2)),
    "signalling nan": np.array([0x7FA00001], "u4").view("f4"),
}


@pytest.mark.parametrize("name", sorted(ARRAYS))
def test_arrays_come_back_bit_for_bit(name: str, tmp_path: Path) -> None:
    array = ARRAYS[name]

    write_snapshot(tmp_path / "one", Content({}, {name: array}))
    back = read_snapshot(tmp_path / "one").arrays[name]

    assert (back.dtype, back.shape) == (array.dtype, array.shape)
    assert back.tobytes() == array.tobytes()
    assert back.flags.writeable


def test_documents_come_back(tmp_path: Path) -> None:
    document = {
        "big": 2**127 + 1,
        "inf": -math.inf,
        "small": 5e-324,
        "text": 'ä"\n',
        "list": [1, None],
    }

    written = write_snapshot(tmp_path / "one", Content(document, ARRAYS))
    back = read_snapshot(tmp_path / "one")

    assert back.document == document
    assert list(back.arrays) == list(ARRAYS)
    assert written == (tmp_path / "one").stat().st_size
    assert [path.name for path in tmp_path.iterdir()] == ["one"]


def test_arrays_of_several_chunks(tmp_path: Path) -> None:
    array = np.random.default_rng(1).random(3 << 19)

    write_snapshot(tmp_path / "one", Content({}, {"x": array}))

    assert (read_snapshot(tmp_path / "one").arrays["x"] == array).all()


@pytest.mark.parametrize(
    "array",
    [
        np.array([object()]),
        np.array([(1, 2.0)], [("a", "i4"), ("b", "f4")]),
        np.array(["a"], np.dtypes.StringDType()),
    ],
    ids=["objects", "records", "texts of any width"],
)
def test_what_needs_pickle_is_refused(array: np.ndarray, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="pickle"):
        write_snapshot(tmp_path / "one", Content({}, {"x": array}))

    assert not list(tmp_path.iterdir())


SMALL = Content({"a": 1}, {"x": np.arange(5, dtype="i2"), "y": np.ones(3)})


def test_torn_at_every_length(tmp_path: Path) -> None:
    path = tmp_path / "one"
    size = write_snapshot(path, SMALL)
    whole = path.read_bytes()

    for length in range(size):
        path.write_bytes(whole[:length])
        with pytest.raises(TornSnapshot, match="one is not a whole snapshot"):
            read_snapshot(path)


def test_changed_at_every_byte(tmp_path: Path) -> None:
    path = tmp_path / "one"
    write_snapshot(path, SMALL)
    whole = path.read_bytes()

    for place in range(len(whole)):
        changed = bytearray(whole)
        changed[place] ^= 0x10
        path.write_bytes(changed)
        with pytest.raises(TornSnapshot):
            read_snapshot(path)


def test_too_long_and_foreign_and_missing_files(tmp_path: Path) -> None:
    path = tmp_path / "one"
    write_snapshot(path, SMALL)
    with path.open("ab") as file:
        file.write(b"more")

    with pytest.raises(TornSnapshot, match="bytes"):
        read_snapshot(path)
    (tmp_path / "pickle").write_bytes(b"\x80\x04\x95" + bytes(100))
    with pytest.raises(TornSnapshot, match="begins with"):
        read_snapshot(tmp_path / "pickle")
    with pytest.raises(UnreadableSnapshot, match="none"):
        read_snapshot(tmp_path / "none")
    with pytest.raises(UnreadableSnapshot):
        read_snapshot(tmp_path)


def test_a_newer_form_is_not_torn(tmp_path: Path) -> None:
    write_snapshot(tmp_path / "one", SMALL)
    start = b"FGSNAP9\n" + (tmp_path / "one").read_bytes()[8:28]
    later = start + struct.pack("<I", zlib.crc32(start)) + b"in a way of its own"
    (tmp_path / "one").write_bytes(later)

    with pytest.raises(NewerSnapshot, match="newer version of fitguard"):
        read_snapshot(tmp_path / "one")


def forged(path: Path, header: Any, data: bytes = bytes(64)) -> Path:
    """A file whose checksums are right, whatever its header says."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    text += b" " * (-(len(text) + 32) % 64)
    start = struct.pack(
        "<8sQQI", b"FGSNAP1\n", len(text), 32 + len(text) + len(data), zlib.crc32(text)
    )
    path.write_bytes(start + struct.pack("<I", zlib.crc32(start)) + text + data)
    return path


ZEROS = zlib.crc32(bytes(16))


def test_the_forged_file_is_well_forged(tmp_path: Path) -> None:
    header = {"document": {}, "arrays": [["x", "<f4", [4], 0, 16, ZEROS]]}

    assert read_snapshot(forged(tmp_path / "f", header)).arrays["x"].tolist() == [0] * 4


@pytest.mark.parametrize(
    "arrays",
    [
        [["x", "<f4", [1 << 60], 0, 1 << 62, 0]],
        [["x", "<f4", [4], 0, 16, ZEROS], ["y", "<f4", [4], 0, 16, ZEROS]],
        [["x", "<f4", [4], 0, 16, ZEROS], ["x", "<f4", [4], 64, 0, 0]],
        [["x", "<f4", [4], -64, 16, ZEROS]],
        [["x", "<f4", [-2, -2], 0, 16, ZEROS]],
        [["x", "<f4", [0, 10**30], 0, 0, 0]],
        [["x", "<f4", [5], 0, 16, ZEROS]],
        [["x", "O", [2], 0, 16, ZEROS]],
        [["x", "V8", [2], 0, 16, ZEROS]],
        [["x", "<U0", [1 << 40], 0, 0, 0]],
        [["x", "os.system", [2], 0, 16, ZEROS]],
        [["x", "<M8[nonsense]", [2], 0, 16, ZEROS]],
        [["x", "<f4", [4], 0, 16]],
        {"x": 1},
        [],
    ],
)
def test_hostile_headers(arrays: Any, tmp_path: Path) -> None:
    with pytest.raises(TornSnapshot):
        read_snapshot(forged(tmp_path / "f", {"document": {}, "arrays": arrays}))


@pytest.mark.parametrize(
    "header",
    [b"[" * 200_000, b"\xff{}", b"[]", b'{"document": 1, "arrays": []}', b"1" * 9999, b"{}"],
    ids=["deep", "no text", "list", "number", "digits", "empty"],
)
def test_headers_that_are_none(header: bytes, tmp_path: Path) -> None:
    with pytest.raises(TornSnapshot):
        read_snapshot(forged(tmp_path / "f", header, b""))
