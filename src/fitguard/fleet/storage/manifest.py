"""What is in a copy of a run, and which copy counts. Pure; what is read here is trusted in nothing.

    NAME/objects/<sha256>                          contents of files
    NAME/manifests/<start>-<owner>-<sequence>      a copy: paths, sizes and digests

The highest counts. `start` goes up by one with each start of the training, so that a writer that
was taken for dead never beats its successor. `owner` is drawn: of two that took the same number,
one wins everywhere.
"""

import re
from collections.abc import Mapping
from typing import Literal, NamedTuple

import msgspec

from fitguard.fleet.records import RunRecord
from fitguard.monitor.regular_files import UNDECODABLE

MANIFESTS, OBJECTS = "manifests", "objects"
MOST_MANIFEST_BYTES = 16 * 2**20
GENERATIONS = 2
"""Copies that are kept, the newest included."""
_FORM = "fitguard/fleet-copy/"
_NAME = re.compile(r"(\d{8})-([0-9a-f]{8})-(\d{8})")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_PART = re.compile(r"[^\x00-\x1f\x7f/\\\ud800-\udfff]{1,255}")
_MOST_FILES = 100_000
_MOST_FILE_BYTES = 2**50
_MOST_PATH = 1000
BESIDE = (
    "run.json",
    "output.log",
    "output.1.log",
    "report.html",
    "stacks.txt",
    "after-snapshot.log",
    "soak.json",
    "flight",
    "profiles",
)
"""What tells of a run and is not needed to go on: it comes at the end of each start."""
ROOTS = frozenset(("journal.jsonl", "orders.json", "deeds.jsonl", "snapshots", "files", *BESIDE))
"""All that a copy may have. Locks, leases and heartbeats mean something on their machine only."""


class WrongManifest(ValueError):
    """It is torn, or asks for what no copy has: it does not count."""


class NewerManifest(Exception):
    """A newer fitguard wrote it: what is older must not come in its place."""


class Number(NamedTuple):
    """Of a manifest: the higher one counts."""

    start: int
    owner: str
    sequence: int

    def __str__(self) -> str:
        return f"{self.start:08d}-{self.owner}-{self.sequence:08d}"


class StoredFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file of a run; its content is the object with this digest."""

    path: str
    size_bytes: int
    sha256: str


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """A copy of a run.

    Args:
        files: None of them for a start that has kept nothing yet.
        record: How the run stood.
    """

    schema: Literal["fitguard/fleet-copy/1"] = "fitguard/fleet-copy/1"
    files: tuple[StoredFile, ...] = ()
    record: RunRecord

    @property
    def digests(self) -> frozenset[str]:
        return frozenset(file.sha256 for file in self.files)


class _Form(msgspec.Struct):
    schema: str


def parse_number(name: str) -> Number | None:
    """From the name of a manifest; None for what is none."""
    match = _NAME.fullmatch(name)
    return Number(int(match[1]), match[2], int(match[3])) if match else None


def is_digest(name: str) -> bool:
    """Whether an object can have this name."""
    return _DIGEST.fullmatch(name) is not None


def decode_manifest(content: bytes) -> Manifest:
    """What a manifest says, if it is one that fitguard could have written.

    Raises:
        WrongManifest: where it is not.
        NewerManifest: where only a newer fitguard can read it.
    """
    try:
        form = msgspec.json.decode(content, type=_Form).schema
        if form.startswith(_FORM) and form != Manifest.__struct_defaults__[0]:
            raise NewerManifest(f"it was written by a newer fitguard ({form})")
        manifest = msgspec.json.decode(content, type=Manifest)
    except UNDECODABLE as error:
        raise WrongManifest(f"it cannot be read: {error}") from error
    if len(manifest.files) > _MOST_FILES:
        raise WrongManifest(f"it names {len(manifest.files)} files. Expected {_MOST_FILES} at most")
    paths = [file.path for file in manifest.files]
    if len(set(paths)) < len(paths):
        raise WrongManifest("it names a file twice")
    for file in manifest.files:
        _require_possible(file)
    return manifest


def is_possible(path: str) -> bool:
    """Whether a copy can have a file with this path."""
    parts = path.split("/")
    named = all(_PART.fullmatch(part) and part not in (".", "..") for part in parts)
    return named and parts[0] in ROOTS and len(path) <= _MOST_PATH


def _require_possible(file: StoredFile) -> None:
    if not is_possible(file.path):
        raise WrongManifest(f"it names {file.path[:99]!r}, which no copy of a run has")
    if not is_digest(file.sha256) or not 0 <= file.size_bytes < _MOST_FILE_BYTES:
        raise WrongManifest(f"it gives {file.path[:99]!r} a size or a digest that cannot be")


def is_beside(path: str) -> bool:
    """Whether a file only tells of the run."""
    return path.split("/", 1)[0] in BESIDE


def list_kept(copies: Mapping[Number, Manifest]) -> list[Number]:
    """The newest copies that differ in what they hold; the others can go.

    Args:
        copies: Those that are whole.
    """
    kept: list[Number] = []
    held: list[frozenset[tuple[str, str]]] = []
    for number in sorted(copies, reverse=True):
        files = frozenset((file.path, file.sha256) for file in copies[number].files)
        if files not in held:
            held.append(files)
            kept.append(number)
        if len(kept) == GENERATIONS:
            break
    return kept
