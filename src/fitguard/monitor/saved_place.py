"""From where the next attempt will train: as the files say, whatever the journal has missed."""

import contextlib
from collections.abc import Container
from pathlib import Path
from typing import NamedTuple

import msgspec

from fitguard.monitor.snapshot_heading import read_heading
from fitguard.monitor.snapshot_names import list_snapshots
from fitguard.monitor.unusable_snapshots import UnusableSnapshot
from fitguard.schema.gang import SavedPlace
from fitguard.schema.run import Place


class Saved(NamedTuple):
    """What a snapshot holds; `end` where it is the end of a `fit` call."""

    place: Place
    end: bool


def read_saved(snapshots: Path, among: Container[SavedPlace] | None = None) -> Saved | None:
    """The furthest snapshot in a folder whose heading is whole; None where there is none.

    A process may have died after it wrote a snapshot, and before it wrote that down.

    Args:
        among: The places that count; None for all.
    """
    for file in list_snapshots(snapshots):
        if among is not None and file.place not in among:
            continue
        with contextlib.suppress(UnusableSnapshot, KeyError, msgspec.ValidationError):
            document = read_heading(file.path).document
            return Saved(msgspec.convert(document["place"], Place), bool(document["end"]))
    return None
