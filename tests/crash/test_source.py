"""Whatever is given as a log: what it is, how it is opened, and what is said where it is broken."""

import gzip
import io
import os
import threading
from pathlib import Path

import pytest
import zstandard
from crash.logs import OOM, reading, texts, training

from fitguard.schema.exit_codes import UnreadableInput

TEXT = f"Epoch 1/5\n{OOM}\nbye\n"
LINES = ["Epoch 1/5", OOM, "bye"]


def test_a_text_bytes_and_open_files_are_the_same_log(tmp_path: Path) -> None:
    file = tmp_path / "train.log"
    file.write_text(TEXT)
    with file.open("rb") as binary, file.open() as text:
        given = [TEXT, TEXT.encode(), file, str(file), binary, text]
        assert all(texts(log) == LINES for log in given)
        assert not binary.closed
    assert texts(io.BytesIO(TEXT.encode())) == texts(io.StringIO(TEXT)) == LINES


def test_a_stream_that_can_only_be_read() -> None:
    class Plain:
        def __init__(self) -> None:
            self.rest = TEXT.encode()

        def read(self, size: int) -> bytes:
            taken, self.rest = self.rest[: min(size, 7)], self.rest[min(size, 7) :]
            return taken

    assert texts(Plain()) == LINES  # type: ignore[arg-type]


def test_names(tmp_path: Path) -> None:
    file = tmp_path / "train.log"
    file.write_text(TEXT)
    assert {line.source for line in reading(file).lines} == {str(file)}
    assert {line.source for line in reading(TEXT).lines} == {"log"}
    assert {line.source for line in reading(TEXT, "kernel log").lines} == {"kernel log"}
    with file.open("rb") as opened:
        assert {line.source for line in reading(opened).lines} == {str(file)}


def test_standard_input_is_named_so() -> None:
    class Stdin(io.BytesIO):
        name = "<stdin>"

    assert {line.source for line in reading(Stdin(TEXT.encode())).lines} == {"stdin"}


@pytest.mark.parametrize("text", ["Killed", "ValueError: No gradients", "N/A: no GPU", "", " "])
def test_a_short_text_is_no_path(text: str) -> None:
    assert texts(text) == ([text] if text.strip() else [])


def test_a_text_too_long_for_a_path() -> None:
    assert len(texts("a/b" * 3000)) == 1


@pytest.mark.parametrize("name", ["train.log", "logs/train", "my train.log.gz", "C:\\logs\\x"])
def test_a_missing_file_is_named(name: str) -> None:
    with pytest.raises(UnreadableInput, match="No such file") as caught:
        reading(name)
    assert name in str(caught.value)


def test_a_folder_is_no_log(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match=r"Is a directory\. Expected a log file"):
        reading(tmp_path)


def test_a_file_that_opens_and_cannot_be_read_is_noted() -> None:
    _, _, notes = reading(Path("/proc/self/mem"))
    assert notes == ("/proc/self/mem: reading stopped early: Input/output error",)


def test_an_empty_file(tmp_path: Path) -> None:
    file = tmp_path / "empty.log"
    file.touch()
    assert reading(file) == ((), 0, ())


def test_a_named_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(training(50_000) + OOM.encode(),))
    writer.start()
    assert texts(pipe)[-1] == OOM
    writer.join()


def test_a_file_that_grows_while_it_is_read(tmp_path: Path) -> None:
    """Each read makes it longer; without a limit this would never end."""
    file = tmp_path / "train.log"
    file.write_bytes(training(100_000))
    size = file.stat().st_size

    class Growing(io.FileIO):
        def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
            with file.open("ab") as end:
                end.write(b"step\n" * (len(buffer) // 5))
            return super().readinto(buffer)

    with Growing(file) as growing:
        assert 100_000 <= reading(growing).line_count <= 100_000 + (1 << 20) // 5 + 1
    assert file.stat().st_size > size


def test_an_error_half_way_is_noted() -> None:
    class Failing(io.BytesIO):
        def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
            taken = super().readinto(buffer)
            if not taken:
                raise OSError(5, "Input/output error")
            return taken

    read = reading(Failing(OOM.encode()))
    assert [line.text for line in read.lines] == [OOM]
    assert read.notes == ("log: reading stopped early: Input/output error",)


def test_an_open_gzip_file_that_is_cut_off() -> None:
    packed = gzip.compress(training(3000))[:-100]
    with gzip.GzipFile(fileobj=io.BytesIO(packed)) as file:
        read = reading(file)
    assert read.lines[0].text.startswith("step 1 ")
    assert read.notes[0].startswith("log: reading stopped early: ")


ZSTD = zstandard.ZstdCompressor(write_checksum=True).compress


@pytest.mark.parametrize("pack", [gzip.compress, ZSTD], ids=["gzip", "zstd"])
class TestPacked:
    """gzip and zstd."""

    def test_in_one_or_several_members(self, pack, tmp_path: Path) -> None:
        file = tmp_path / "train.log.gz"
        file.write_bytes(pack(TEXT.encode()[:30]) + pack(b"") + pack(TEXT.encode()[30:]))
        assert texts(file) == LINES
        assert reading(file).notes == ()

    def test_filled_up_with_zeros(self, pack) -> None:
        assert reading(pack(TEXT.encode()) + bytes(512)).notes == ()

    @pytest.mark.parametrize("left", [4, 50, -4, -1])
    def test_cut_off(self, pack, left: int, tmp_path: Path) -> None:
        file = tmp_path / "train.log"
        file.write_bytes(pack(training(3000))[:left])
        read = reading(file)
        kind = "gzip" if pack is gzip.compress else "zstd"
        assert read.notes == (f"{file}: the {kind} stream ends early",)
        assert left > 0 or read.line_count >= 2700

    def test_broken_in_the_middle(self, pack) -> None:
        rows = [os.urandom(8).hex() for _ in range(40_000)]
        packed = bytearray(pack("\n".join(rows).encode()))
        middle = len(packed) // 2
        packed[middle : middle + 2000] = b"\xff" * 2000
        read = reading(bytes(packed))
        assert len(read.notes) == 1
        assert "is broken" in read.notes[0]
        assert read.lines[0].text == rows[0]
        assert read.line_count > 5_000

    def test_followed_by_something_else(self, pack) -> None:
        read = reading(pack(TEXT.encode()) + b"and this")
        assert [line.text for line in read.lines] == LINES
        assert "followed by other data" in read.notes[0]

    def test_a_large_one(self, pack) -> None:
        log = pack(training(100_000) + OOM.encode() + b"\n" + training(100_000))
        assert (100_001, OOM) in {(line.number, line.text) for line in reading(log).lines}


def test_frames_without_data_are_skipped() -> None:
    log = b"\x50\x2a\x4d\x18\x04\0\0\0" + b"meta" + ZSTD(TEXT.encode())
    assert texts(log) == LINES
