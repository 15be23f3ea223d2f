"""The end of the output: what a terminal would show of it, and nothing that it obeys."""

import os

import pytest

from fitguard.monitor.output_end import read_output_end
from fitguard.monitor.run_folder import RunFolder


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (b"", ()),
        (b"one\ntwo\n\n", ("one", "two")),
        (b"1/3 loss 1\r2/3 loss 2\r\n", ("2/3 loss 2",)),
        ("\x1b[1m5/5\x1b[0m \x1b]0;title\x07done\b\b\x00\x9b2J".encode(), ("5/5 done",)),
        ("\u202eabc\u200b ä\n".encode() + b"\xff", ("abc ä", "�")),
        (b"x" * 5000, ("x" * 500,)),
    ],
)
def test_lines(tmp_path, written, shown):
    (tmp_path / "output.log").write_bytes(written)
    assert read_output_end(RunFolder(tmp_path)) == shown


def test_what_was_before_a_full_file_is_read_too(tmp_path):
    (tmp_path / "output.1.log").write_bytes(b"a\nb\nc\n")
    (tmp_path / "output.log").write_bytes(b"d\n")
    assert read_output_end(RunFolder(tmp_path), most_lines=3) == ("b", "c", "d")


def test_a_pipe_in_its_place_blocks_nobody(tmp_path):
    os.mkfifo(tmp_path / "output.log")
    assert read_output_end(RunFolder(tmp_path)) == ()
