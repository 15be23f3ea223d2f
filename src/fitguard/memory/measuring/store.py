"""Measurements in the user's cache folder, one JSON file each."""

import hashlib
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from fitguard.schema.plan import Measured


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """A measurement, and what it was taken of.

    Args:
        step: The fingerprint.
        batch_size: Of the GPU.
        driver: Its version.
    """

    schema: Literal["fitguard/measurement/1"] = "fitguard/measurement/1"
    step: str
    batch_size: int
    driver: str | None
    measured: Measured

    @property
    def makes_sense(self) -> bool:
        """Whether nobody spoilt it."""
        runs, fails = self.measured.runs_bytes, self.measured.fails_bytes
        sizes = [one for one in (runs, fails, self.measured.peak_bytes) if one is not None]
        ordered = runs is None or fails is None or fails < runs
        return self.batch_size > 0 and ordered and bool(sizes) and min(sizes) > 0


def cache_folder(surrounding: Mapping[str, str]) -> Path:
    """Where measurements are kept."""
    given = Path(surrounding.get("XDG_CACHE_HOME", ""))
    home = Path(surrounding.get("HOME", "~")).expanduser()
    return (given if given.is_absolute() else home / ".cache") / "fitguard" / "plans"


@dataclass(frozen=True)
class Store:
    """A folder of measurements; it need not exist."""

    folder: Path

    def keep(self, kept: Kept) -> tuple[str, ...]:
        """Write it, in place of an older one; what went wrong, if anything."""
        on = hashlib.sha256(f"{kept.measured.gpu} {kept.driver}".encode()).hexdigest()[:8]
        file = self.folder / f"{kept.step}-{on}-{kept.batch_size}.json"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            handle, written = tempfile.mkstemp(dir=self.folder, suffix=".part")
            with os.fdopen(handle, "wb") as stream:
                stream.write(msgspec.json.format(msgspec.json.encode(kept)))
            Path(written).replace(file)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            return (f"The measurement could not be kept for later plans ({reason}).",)
        return ()

    def of(self, step: str) -> tuple[list[Kept], tuple[str, ...]]:
        """All of one step, the oldest first; and which files could not be read."""
        found, notes = [], []
        for file in sorted(self.folder.glob(f"{step}-*.json")):
            try:
                kept = msgspec.json.decode(file.read_bytes(), type=Kept)
            except (OSError, msgspec.DecodeError):
                kept = None
            if kept is not None and kept.step == step and kept.makes_sense:
                found.append(kept)
            else:
                notes.append(f"Warning: the measurement in {file.name} cannot be read; ignored.")
        return sorted(found, key=lambda kept: kept.measured.taken), tuple(notes)
