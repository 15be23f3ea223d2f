"""The file of what attempts did to the disk."""

import json
import sys
import threading
import time

import pytest

from fitguard.keras.world import ledger as ledger_module
from fitguard.keras.world.ledger import Ledger


@pytest.fixture
def quick_switches():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("quick_switches")
def test_a_snapshot_may_be_written_while_the_training_opens_files(tmp_path):
    ledger = Ledger(tmp_path / "deeds", 1, home="/home/somebody")
    failed, done = [], threading.Event()

    def flush():
        try:
            while not done.is_set():
                ledger.flush()
        except Exception as error:
            failed.append(error)

    writers = [threading.Thread(target=flush) for _ in range(2)]
    for writer in writers:
        writer.start()
    names = [f"/made/{number}" for number in range(3000)]
    try:
        for name in names:
            ledger.add("file", name)
    finally:
        done.set()
        for writer in writers:
            writer.join()
    ledger.flush()
    assert failed == []
    told = [json.loads(line)[2] for line in (tmp_path / "deeds").read_text().splitlines()]
    assert sorted(told) == sorted(names)  # each one once
    ledger.close()


@pytest.mark.usefixtures("quick_switches")
def test_what_was_added_is_on_the_disk_before_the_training_goes_on(tmp_path, monkeypatch):
    """Also where the thread that writes snapshots is held up in the middle of a line."""
    append, main = ledger_module.append_line, threading.main_thread()

    def append_late(file, line):
        if threading.current_thread() is not main:
            time.sleep(0.01)
        return append(file, line)

    monkeypatch.setattr(ledger_module, "append_line", append_late)
    monkeypatch.setattr(ledger_module, "sync_file", lambda _: None)
    ledger, done = Ledger(tmp_path / "deeds", 1, home="/home/somebody"), threading.Event()

    def flush():
        while not done.is_set():
            ledger.flush()

    writer = threading.Thread(target=flush)
    writer.start()
    try:
        for number in range(5000):
            ledger.add("file", f"/made/{number}")
            last = (tmp_path / "deeds").read_text().splitlines()[-1]
            assert json.loads(last)[2] == f"/made/{number}"
    finally:
        done.set()
        writer.join()
        ledger.close()
