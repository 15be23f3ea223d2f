"""How far a soak is, and what it found: `soak.json` of its run, which its child writes."""

import msgspec

from fitguard.monitor.regular_files import UNDECODABLE, read_regular
from fitguard.monitor.run_folder import RunFolder
from fitguard.schema.exit_codes import UnreadableInput

_FORMAT = 1
_MOST_BYTES = 16 << 20


class Computation(msgspec.Struct, frozen=True, kw_only=True):
    """One of those that are done again and again, on one device.

    Args:
        device: As TensorFlow names it: `/GPU:0`.
        elements: Of results that were checked.
        seconds: For which it was waited for.
        left_out: Why it is not computed; empty where it is.
    """

    name: str
    device: str
    size: str
    computations: int
    elements: int
    wrong: int
    seconds: float
    checksum: str
    left_out: str


class WrongBit(msgspec.Struct, frozen=True, kw_only=True):
    """A result that was wrong.

    Args:
        number: Its place in the order; None where references were computed.
        time: Seconds since 1970.
        kind: `once`, `always`, `checking`, `sessions` or `reference`.
        text: All of it in a sentence.
    """

    computation: str
    device: str
    size: str
    number: int | None
    seed: int
    time: float
    kind: str
    attempt: int
    wrong_elements: int
    wrong_bits: int
    text: str


class VersionChange(msgspec.Struct, frozen=True, kw_only=True):
    """A session began with other versions, or on another device, than the one before.

    Args:
        session: Which one, from 1.
        time: Seconds since 1970.
        computations: That were counted before it.
        text: What changed, in a sentence without its period.
    """

    session: int
    time: float
    computations: int
    text: str


class SoakProgress(msgspec.Struct, frozen=True, kw_only=True):
    """All of it.

    Args:
        number: Computations that are done, in the order that the seed draws.
        identity: What must be the same for results to be the same.
        sessions: Processes that worked at it.
    """

    format: int
    seed: int
    number: int
    identity: dict[str, object]
    sessions: int
    seconds: float
    updated: float
    computations: tuple[Computation, ...]
    findings: tuple[WrongBit, ...]
    changes: tuple[VersionChange, ...] = ()


def read_progress(folder: RunFolder) -> SoakProgress | None:
    """What the soak wrote last; None where it has not come so far.

    Raises:
        UnreadableInput: where the file is broken, or of another version.
    """
    try:
        content = read_regular(folder.soak, _MOST_BYTES)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UnreadableInput(f"{folder.soak}: {error.strerror}") from error
    try:
        progress = msgspec.json.decode(content, type=SoakProgress)
    except UNDECODABLE as error:
        raise UnreadableInput(
            f"Received {folder.soak}, which is broken: {error}. Expected what a soak wrote there. "
            "Move it away, and begin a new soak"
        ) from error
    if progress.format != _FORMAT:
        raise UnreadableInput(
            f"Received {folder.soak} in format {progress.format}. Expected {_FORMAT}: another "
            "version of fitguard wrote it"
        )
    return progress
