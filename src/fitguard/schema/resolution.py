"""The answer of `resolve`: a set of versions that works, how to install it, why not a newer one."""

from typing import Literal

import msgspec

from fitguard.schema.document import Document

RESOLVE_SCHEMA: Literal["fitguard/resolve/1"] = "fitguard/resolve/1"


class Install(msgspec.Struct, frozen=True):
    """One way to install the set: `way` is pip, conda or container."""

    way: str
    commands: tuple[str, ...]
    note: str | None = None


class VersionSet(msgspec.Struct, frozen=True, kw_only=True):
    """Versions that work together.

    Args:
        cuda: With `cudnn`, what the release was built with; None where no GPU is there.
        driver_min: The least driver that serves it on this platform.
        driver_last_branch: The last driver branch that serves the GPU, where newer ones do not.
        notes: What is worth knowing and no error: a long first run, say.
    """

    tensorflow: str
    package: str
    python: str
    cuda: str | None = None
    cudnn: str | None = None
    keras: str | None = None
    numpy: str | None = None
    protobuf: str | None = None
    driver_min: str | None = None
    driver_last_branch: str | None = None
    notes: tuple[str, ...] = ()
    install: tuple[Install, ...] = ()


class Rejected(msgspec.Struct, frozen=True):
    """Releases that do not work here, for one and the same reason."""

    releases: tuple[str, ...]
    codes: tuple[str, ...]
    reason: str


class Opening(msgspec.Struct, frozen=True):
    """A single change after which a set exists."""

    change: str
    tensorflow: str


class Resolution(Document, frozen=True, kw_only=True):
    """`chosen` is None where no set works; then `openings` says what would open one.

    Args:
        given: What was fixed: the machine's or the user's GPU, driver, system, Python, pins.
    """

    schema: Literal["fitguard/resolve/1"] = RESOLVE_SCHEMA
    ok: bool
    given: dict[str, str]
    chosen: VersionSet | None = None
    rejected: tuple[Rejected, ...] = ()
    openings: tuple[Opening, ...] = ()
