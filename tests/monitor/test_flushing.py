"""Half a line that a full disk or a power cut left, in the files that are added to."""

import errno
from pathlib import Path

import pytest
from guarded.faulty_disk import faulty

from fitguard.keras.world.ledger import Ledger
from fitguard.monitor.journal import Journal, now
from fitguard.schema.journal import FitEnded
from fitguard.schema.run import Place


def leave_half_a_line(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b'{"half": "of a li')


def test_half_an_event_of_another_process_does_not_swallow_the_next(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.jsonl")
    events = [FitEnded(time=now(), attempt=1, place=Place(fit=fit)) for fit in (1, 2)]

    assert journal.append(events[0], durable=True)
    leave_half_a_line(tmp_path / "journal.jsonl")
    assert journal.append(events[1], durable=True)

    assert journal.read() == events


def test_half_a_deed_does_not_swallow_the_next(tmp_path: Path) -> None:
    leave_half_a_line(tmp_path / "deeds.jsonl")
    ledger = Ledger(tmp_path / "deeds.jsonl", 1)
    ledger.add("folder", "/made")
    ledger.close()
    later = Ledger(tmp_path / "deeds.jsonl", 2)
    later.close()

    assert list(later.past.folders) == ["/made"]


@pytest.mark.parametrize("flushes", [False, True])
def test_deeds_that_cannot_be_written_come_later(flushes: bool, tmp_path: Path) -> None:
    refused: list[OSError] = []
    with faulty(tmp_path) as disk:
        ledger = Ledger(tmp_path / "deeds.jsonl", 1, on_refused=refused.append)
        for fault in ("ENOSPC", "short"):
            disk.fault = fault
            ledger.add("folder", f"/made/{fault}")
        disk.fault = ""
        if flushes:
            ledger.flush()
        else:
            ledger.add("folder", "/made")
        ledger.close()
    later = Ledger(tmp_path / "deeds.jsonl", 2)
    later.close()

    assert [error.errno for error in refused] == [errno.ENOSPC] * 2
    assert list(later.past.folders) == ["/made/ENOSPC", "/made/short", "/made"][: 3 - flushes]
