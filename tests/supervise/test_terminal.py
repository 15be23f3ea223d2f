"""A terminal behaves under guard as it does under plain Python."""

import json

from supervise.parents import newest_run
from supervise.terminal import Terminal


def test_the_training_sees_a_terminal_of_the_same_size(tmp_path):
    text = """
import os, sys
print(sys.stdout.isatty(), sys.stderr.isatty(), sys.stdin.isatty(), os.get_terminal_size())
"""
    terminal = Terminal(tmp_path, text)
    assert terminal.ended() == 0
    first = terminal.shown.split(b"\r\n")[0]
    assert first == b"True True True os.terminal_size(columns=100, lines=40)"


def test_both_streams_keep_their_order(tmp_path):
    text = """
import sys
for number in range(50):
    print(number, file=(sys.stdout, sys.stderr)[number % 2], flush=True)
"""
    terminal = Terminal(tmp_path, text)
    assert terminal.ended() == 0
    assert terminal.shown.split(b"\r\n")[:50] == [b"%d" % number for number in range(50)]
    kept = (newest_run(tmp_path) / "output.log").read_bytes()
    assert kept == b"".join(b"%d\n" % number for number in range(50))


def test_ctrl_c_reaches_the_training_once(tmp_path):
    text = """
import signal, time
got = []
signal.signal(signal.SIGINT, lambda *_: got.append(1))
print("ready", flush=True)
while not got: time.sleep(0.02)
time.sleep(0.5)
print("interrupts:", len(got))
"""
    terminal = Terminal(tmp_path, text)
    terminal.until(b"ready")
    terminal.type(b"\x03")
    assert terminal.ended() == 0
    assert b"interrupts: 1\r\n" in terminal.shown


def test_ctrl_c_ends_the_run(tmp_path):
    terminal = Terminal(tmp_path, "print('ready', flush=True); import time; time.sleep(60)")
    terminal.until(b"ready")
    terminal.type(b"\x03")
    assert terminal.ended() == 130
    assert terminal.shown.count(b"KeyboardInterrupt") == 1
    run = json.loads((newest_run(tmp_path) / "run.json").read_bytes())
    assert run["state"] == "interrupted"


def test_the_training_can_ask_a_question(tmp_path):
    terminal = Terminal(tmp_path, "print('hello', input('name? '))")
    terminal.until(b"name? ")
    terminal.type(b"ada\n")
    assert terminal.ended() == 0
    assert b"hello ada\r\n" in terminal.shown


def test_a_new_window_size_arrives(tmp_path):
    text = """
import os, signal, time
got = []
signal.signal(signal.SIGWINCH, lambda *_: got.append(os.get_terminal_size().columns))
print("ready", flush=True)
while 55 not in got: time.sleep(0.02)
print("seen")
"""
    terminal = Terminal(tmp_path, text)
    terminal.until(b"ready")
    terminal.resize(20, 55)
    terminal.until(b"seen")
    assert terminal.ended() == 0


def test_a_line_of_ours_begins_on_a_line_of_its_own(tmp_path):
    text = """
import os
for step in training.steps(2):
    training.save()
    if training.attempt == 1:
        print("step 1/10 [===>", end="", flush=True)
        os._exit(3)
"""
    terminal = Terminal(tmp_path, text)
    assert terminal.ended() == 0
    assert b"[===>\r\nfitguard: Attempt 1 crashed" in terminal.shown
