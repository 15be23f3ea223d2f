"""What the script reads from standard input is there for each attempt."""

import subprocess
import sys

import programs
from supervise.parents import newest_run, parent_command, written
from supervise.terminal import Terminal

from fitguard.monitor.kept_input import LIMIT_BYTES

READS = """
import getpass, os, subprocess, sys
text = {reading}
for step in training.steps(1):
    print(training.attempt, text, flush=True)
    training.save()
    if training.attempt == 1: os._exit(3)
"""


def run(folder, text, stdin, given: bytes | None = None):
    """Run a script to its end: what it wrote."""
    process = programs.start(
        parent_command(written(folder, text)),
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
    )
    out, err = process.communicate(given, timeout=programs.LONGEST_SECONDS)
    assert process.returncode == 0, err
    return out.decode(), err.decode()


def test_a_pipe_is_read_again_in_every_way(tmp_path):
    reading = "[input(), sys.stdin.readline(), next(sys.stdin), sys.stdin.buffer.read()]"
    text = READS.format(reading=reading)
    out, err = run(tmp_path, text, subprocess.PIPE, "a\nb\r\nç\nd\ne".encode())
    expected = ["a", "b\r\n", "ç\n", b""]
    assert out == f"1 {expected}\n2 {expected}\n"
    assert "ç" not in err


def test_a_file_is_read_again_whoever_read_it(tmp_path):
    (tmp_path / "given").write_text("ada\nlovelace\n")
    reading = "subprocess.run(['tail', '-n1'], capture_output=True).stdout"
    with (tmp_path / "given").open("rb", buffering=0) as file:
        file.seek(4)
        out, _ = run(tmp_path, READS.format(reading=reading), file)
    assert out == "1 b'lovelace\\n'\n2 b'lovelace\\n'\n"


def test_a_pipe_that_the_script_does_not_read_is_left_to_others(tmp_path):
    """As in `while read line; do fitguard run …; done`."""
    command = parent_command(written(tmp_path, "print('trained')"))
    shell = ["sh", "-c", '"$@" && cat', "sh", *command]
    done = subprocess.run(shell, input=b"for others\n", capture_output=True, cwd=tmp_path)
    assert done.stdout == b"trained\nfor others\n"


def test_more_than_is_kept_is_said(tmp_path):
    text = READS.format(reading="len(sys.stdin.buffer.read())")
    out, err = run(tmp_path, text, subprocess.PIPE, bytes(LIMIT_BYTES + 1))
    assert out == f"1 {LIMIT_BYTES + 1}\n2 0\n"
    assert "more than 64 MiB from standard input" in err
    assert "This one gets only what is left" in err


def test_the_script_sees_nothing_of_it(tmp_path):
    text = """
import os, sys
print(sys.stdin.name, sys.stdin.mode, sys.stdin.fileno(), sys.stdin.isatty(), sys.stdin.encoding)
print([name for name in os.environ if "STDIN" in name])
"""
    command = [sys.executable, str(written(tmp_path, text))]
    plain = subprocess.run(command, input=b"", capture_output=True, cwd=tmp_path, check=True)
    assert run(tmp_path, text, subprocess.PIPE, b"")[0] == plain.stdout.decode()


def test_answers_at_a_terminal_are_given_again_and_not_shown(tmp_path):
    reading = "[input('name? '), sys.stdin.readline(), len(getpass.getpass('word? '))]"
    terminal = Terminal(tmp_path, READS.format(reading=reading))
    terminal.until(b"name? ")
    terminal.type(b"ada\nlovelace\n")
    terminal.until(b"word? ")
    terminal.type(b"sesame\n")
    assert terminal.ended() == 0
    assert b"1 ['ada', 'lovelace\\n', 6]" in terminal.shown
    assert b"2 ['ada', 'lovelace\\n', 6]" in terminal.shown
    assert b"your earlier answers are given to the script again" in terminal.shown
    assert b"sesame" not in terminal.shown
    files = [path for path in newest_run(tmp_path).rglob("*") if path.is_file()]
    assert not any(b"sesame" in path.read_bytes() for path in files)
