"""What reads foreign files: bytes in, and nothing out but what is documented.

Each target gives bytes to a reader as a file, and asserts what must hold for any of them. The
errors that it may raise are those that its docstring names; all others are faults.
"""

import contextlib
import json
import re
import struct
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path

from fitguard.cli.configuration import read_configuration
from fitguard.cli.run_left import read_run_folder
from fitguard.crash.explanation import explain
from fitguard.crash.reader import read
from fitguard.crash.signals import Recogniser
from fitguard.environment.doctor import read_facts
from fitguard.facts.kernel_messages import parse
from fitguard.keras.snapshots.file import read_snapshot
from fitguard.keras.world.ledger import Ledger
from fitguard.knowledge import knowledge
from fitguard.knowledge.secrets import hide_secrets
from fitguard.monitor.detectors.framework.registry import detect
from fitguard.monitor.flight_record import read_flight_records
from fitguard.monitor.folding import fold
from fitguard.monitor.journal import Journal
from fitguard.monitor.run_folder import RunFolder
from fitguard.monitor.samples import build_samples
from fitguard.monitor.snapshot_heading import read_heading
from fitguard.monitor.unusable_snapshots import UnusableSnapshot
from fitguard.report.privacy.redacted_arguments import hide_arguments, hide_in_line
from fitguard.report.privacy.redaction import redact
from fitguard.report.render import render
from fitguard.schema.document import Document
from fitguard.schema.exit_codes import UnreadableInput
from fitguard.supervise.past_runs import list_runs, read_run
from fitguard.supervise.record import Record
from fitguard.supervise.runs import find_runs
from fitguard.supervise.variables import select_allowed_variables

_PLACE = tempfile.TemporaryDirectory(prefix="fitguard-fuzz-", dir="/dev/shm")
_RUN = RunFolder(Path(_PLACE.name, "20260101-000000-train-abcd"))
_RUN.path.mkdir(0o700)
_RUN.flight_records.mkdir(0o700)
_FILE = Path(_PLACE.name, "file")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_TAG = re.compile("<(?:script>|img src=x|fuzz)", re.IGNORECASE)
_RECOGNISER = Recogniser(knowledge().signatures)


def _put(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def _assert_shown_safely(document: Document) -> None:
    """Nothing that a terminal obeys, and no tag that is not ours."""
    shown = redact(document, home="/home/ann", user="annabel", host="dgx07")
    assert not _CONTROL.search(render(shown, "text"))
    assert not _TAG.search(render(shown, "html"))
    json.loads(render(shown, "json"))


def journal(data: bytes) -> None:
    """Torn lines are left out."""
    events = Journal(_put(_RUN.journal, data)).read()
    fold(events, [], folder="run", alive=False)
    list(find_runs(Path(_PLACE.name)))
    with contextlib.suppress(UnreadableInput):
        read_run_folder(_RUN.path)


def pages(data: bytes) -> None:
    """Of a journal and of samples, which the same bytes give."""
    _put(_RUN.journal, data)
    _put(_RUN.flight_records / "child.record", data)
    _assert_shown_safely(list_runs(_PLACE.name))
    with contextlib.suppress(UnreadableInput):
        _assert_shown_safely(read_run(_RUN.path))


def run_document(data: bytes) -> None:
    """A run.json."""
    with contextlib.suppress(UnreadableInput):
        _assert_shown_safely(read_run(_put(_FILE, data)))


def samples(data: bytes) -> None:
    """A flight record."""
    found = read_flight_records([_put(_RUN.flight_records / "child.record", data)])
    samples = build_samples(found, 5)
    assert len(samples) <= 5 + len({sample.attempt for sample in samples})
    detect(found)


def orders(data: bytes) -> None:
    """Orders that are broken count as lost."""
    _put(_RUN.orders, data)
    found = Record(_RUN, print, lambda: None).last_orders()
    assert "PYTHONPATH" not in select_allowed_variables(found.environment if found else {})


def deeds(data: bytes) -> None:
    """Torn lines are left out."""
    Ledger(_put(_RUN.deeds, data), 3).close()


def snapshot(data: bytes) -> None:
    """Bytes as they are."""
    _put(_FILE, data)
    for reader in (read_heading, read_snapshot):
        with contextlib.suppress(UnusableSnapshot):
            reader(_FILE)


def snapshot_header(data: bytes) -> None:
    """Any header with checksums that are right, before 256 bytes of arrays, in both forms."""
    text = data + b" " * (-(32 + len(data)) % 64)
    for magic in (b"FGSNAP1\n", b"FGSNAP2\n"):
        start = struct.pack("<8sQQI", magic, len(text), 32 + len(text) + 256, zlib.crc32(text))
        snapshot(start + struct.pack("<I", zlib.crc32(start)) + text + bytes(256))


def facts(data: bytes) -> None:
    """Facts of anywhere; UnreadableInput where they are none."""
    with contextlib.suppress(UnreadableInput):
        read_facts(_put(_FILE, data))


def configuration(data: bytes) -> None:
    """A pyproject.toml; UnreadableInput where [tool.fitguard] is broken."""
    _put(Path(_PLACE.name, "pyproject.toml"), data)
    with contextlib.chdir(_PLACE.name), contextlib.suppress(UnreadableInput):
        read_configuration()


def log(data: bytes) -> None:
    """Any log has a diagnosis, if only *unknown*."""
    _assert_shown_safely(explain(data, facts=None))


def log_lines(data: bytes) -> None:
    """What is read of any log can be shown."""
    for line in read(data, _RECOGNISER.engine).lines:
        assert line.text.isprintable()


def kernel_log(data: bytes) -> None:
    """Lines that mean nothing are left out."""
    parse(data.decode("utf-8", "replace").split("\n"), "kernel log")


def redaction(data: bytes) -> None:
    """Any text, and any words."""
    text = data.decode("utf-8", "replace")
    hide_secrets(text)
    hide_in_line(text)
    assert len(hide_arguments(text.split())) == len(text.split())


TARGETS: dict[str, tuple[Callable[[bytes], None], int]] = {
    "journal": (journal, 30_000),
    "samples": (samples, 50_000),
    "orders": (orders, 220_000),
    "deeds": (deeds, 150_000),
    "snapshot": (snapshot, 160_000),
    "snapshot_header": (snapshot_header, 130_000),
    "facts": (facts, 100_000),
    "configuration": (configuration, 100_000),
    "kernel_log": (kernel_log, 40_000),
    "redaction": (redaction, 40_000),
    "log_lines": (log_lines, 20_000),
    "log": (log, 1_500),
    "pages": (pages, 3_000),
    "run_document": (run_document, 8_000),
}
"""Each with how many inputs `make soak` gives to it; in all, somewhat more than a million."""
