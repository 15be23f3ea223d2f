"""Signals that are waited for, in a process of their own."""

import signal
import subprocess
import sys
import time

TELLS = """
from fitguard.supervise.inbox import taking_signals
with taking_signals() as inbox:
    print("waits", flush=True)
    numbers = []
    while 15 not in numbers:
        if received := inbox.wait(0.05):
            numbers.append(received.number)
            print(received.number, flush=True)
"""


def test_a_process_that_was_stopped_receives_nothing_that_nobody_sent():
    """CPython's `sigtimedwait` makes up a number where it is stopped for longer than it waits."""
    process = subprocess.Popen([sys.executable, "-c", TELLS], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "waits\n"
        for _ in range(5):
            process.send_signal(signal.SIGSTOP)
            time.sleep(0.2)
            process.send_signal(signal.SIGCONT)
            assert process.stdout.readline() == f"{int(signal.SIGCONT)}\n"
        process.terminate()
        assert process.stdout.read() == f"{int(signal.SIGTERM)}\n"
        assert process.wait() == 0
    finally:
        process.kill()
