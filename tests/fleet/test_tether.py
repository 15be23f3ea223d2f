"""A program that ends with its parent, however that ends."""

import os
import subprocess
import sys

import psutil
from fleet.clusters import wait_for

TETHER = [sys.executable, "-m", "fitguard.fleet.tether"]
PARENT = """
import os, subprocess, sys
words = [sys.executable, "-m", "fitguard.fleet.tether", str(os.getpid())]
child = subprocess.Popen([*words, sys.executable, "-c", "import time; time.sleep(600)"])
print(child.pid, flush=True)
child.wait()
"""


def test_it_does_not_outlive_a_killed_parent():
    parent = subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True)
    child = psutil.Process(int(parent.stdout.readline()))
    wait_for(lambda: "time.sleep(600)" in "".join(child.cmdline()[-1:]))
    wait_for(lambda: "fitguard.fleet.tether" not in child.cmdline())
    parent.kill()
    parent.wait()
    wait_for(lambda: not child.is_running() or child.status() == psutil.STATUS_ZOMBIE)


def test_a_parent_that_died_before():
    done = subprocess.run([*TETHER, "1", sys.executable, "-c", "print('ran')"], capture_output=True)
    assert (done.returncode, done.stdout) == (75, b"")


def test_it_becomes_the_program():
    words = [*TETHER, str(os.getpid()), sys.executable, "-c", "raise SystemExit(3)"]
    assert subprocess.run(words, check=False).returncode == 3
