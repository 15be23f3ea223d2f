"""A process and its descendants: real ones."""

import os
import signal
import subprocess
import sys
import threading

from programs import wait_for

from fitguard.facts.processes import (
    Process,
    find_alive,
    find_family,
    list_thread_numbers,
    sum_resident_bytes,
)

PARENT = "import subprocess; subprocess.run(['sleep', '60'])"


def test_a_family_is_found_and_ended():
    parent = subprocess.Popen([sys.executable, "-c", PARENT])
    try:
        found = wait_for(lambda: (seen := find_family(parent.pid))[1:] and seen)
        assert found[0].pid == parent.pid
        assert found[1].parent == parent.pid
        assert sum_resident_bytes(found) > 2**20
        assert list_thread_numbers(found) == {process.pid for process in found}
        parent.kill()
        parent.wait()
        # Its child has another parent now, and is still the same process.
        assert [process.pid for process in find_alive(found)] == [found[1].pid]
        os.kill(found[1].pid, signal.SIGKILL)
        wait_for(lambda: find_alive(found) == [])
    finally:
        parent.kill()
        parent.wait()


def test_a_number_that_another_process_has_now_is_left_alone():
    me = find_family(os.getpid())[0]
    assert find_alive([Process(me.pid, me.parent, me.started - 1)]) == []
    assert find_alive([me])


def test_threads_have_numbers_too():
    waiting = threading.Event()
    thread = threading.Thread(target=waiting.wait)
    thread.start()
    try:
        assert {os.getpid(), thread.native_id} <= list_thread_numbers(find_family(os.getpid()))
    finally:
        waiting.set()
        thread.join()


def test_a_process_that_is_gone_has_no_family():
    gone = subprocess.Popen(["true"])
    gone.wait()
    assert find_family(gone.pid) == []
    assert sum_resident_bytes([Process(gone.pid, 1, 1)]) == 0
