"""Lines of the kernel log that matter to training: Xids, refused driver modules, the OOM killer."""

import re
from collections import deque
from collections.abc import Iterable, Iterator

from fitguard.schema.hardware import KernelLog, Xid

KEPT = 50

# NVRM: Xid (PCI:0000:65:00): 79, pid=…   NVRM: Xid (0000:03:00): 31, Ch …   NVRM: Xid: 13, …
XID = re.compile(
    r"NVRM:.*?\bXid\b\s*(?:\((?:PCI:)?(?P<pci>[0-9a-fA-F:.]+)\))?\s*:\s*(?P<number>\d+)"
)
# Some drivers report a lost GPU without its Xid, which is 79.
FALLEN_OFF = re.compile(
    r"NVRM:.*?\bGPU\b(?: at)? (?:PCI:)?(?P<pci>[0-9a-fA-F]+:[0-9a-fA-F:.]+).*fallen off the bus"
)
FALLEN_OFF_XID = 79

OOM_KILL = re.compile(r"\bKilled process \d+")

# "module verification failed … tainting kernel" is not among them: such a module is loaded.
MODULE_REFUSED = re.compile(
    r"NVRM: API mismatch"
    r"|NVRM: this kernel module has the version"
    r"|NVRM:.*Legacy drivers"
    r"|NVRM:.*driver will ignore"
    r"|NVRM:.*is not supported by"
    r"|NVRM:.*requires use of the NVIDIA open kernel modules"
    r"|NVRM: Open nvidia\.ko is only ready"
    r"|NVRM:.*RmInitAdapter failed"
    r"|NVRM: The NVIDIA probe routine (?:was not called|failed)"
    r"|NVRM: No NVIDIA (?:graphics adapter|GPU|devices?) (?:found|probed)"
    r"|NVRM:.*driver such as"
    r"|\bnvidia[\w-]*: (?:version magic|disagrees about version of symbol|Unknown symbol)"
    r"|\bnvidia-modeset: Version mismatch"
    r"|\bnvidia\b.*key was rejected by service"
    r"|(?:\bnvidia[\w-]*: |\bkernel: |\] |^)Loading of .*\bmodule\b.* is rejected"
    r"|Lockdown: .*unsigned module loading is restricted",
    re.IGNORECASE,
)
# Every line that matters holds one of these; the patterns above take long on a whole log.
WORDS = ("NVRM", "nvidia", "module", "Killed process")
# A new line inside of a message is `\x0a` to /dev/kmsg and `#012` to syslog; dmesg indents.
INNER_NEWLINE = re.compile(r"\\x0a|#012|\n")
INDENT = re.compile(r"^\s*(?:NVRM:)?\s*")
LONGEST = 2000


def parse(lines: Iterable[str], origin: str, *, numbered: bool = False) -> KernelLog:
    """What matters in these lines, the newest of each kind.

    Args:
        numbered: Whether the numbers of the lines mean something to a reader: in a file they do.
    """
    xids: deque[Xid] = deque(maxlen=KEPT)
    refused: deque[str] = deque(maxlen=KEPT)
    kills: deque[str] = deque(maxlen=KEPT)
    for number, message in _messages(lines):
        if not any(word in message for word in WORDS):
            continue
        xid = _xid(message, origin, number if numbered else None)
        if xid and not _was_reported_before(xid, xids):
            xids.append(xid)
        elif not xid and MODULE_REFUSED.search(message):
            refused.append(message)
        elif OOM_KILL.search(message):
            kills.append(message)
    return KernelLog(True, tuple(xids), tuple(refused), tuple(kills), origin=origin)


def _messages(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Whole messages, with the number of the first line: the driver's go over several lines."""
    start, message = 0, ""
    for number, line in enumerate(lines, 1):
        first, *more = INNER_NEWLINE.split(line[:LONGEST].rstrip())
        if message and first[:1].isspace() and len(message) < LONGEST:
            more.insert(0, first)
        else:
            yield start, message
            start, message = number, first
        message = " ".join((message, *(INDENT.sub("", part) for part in more)))
    yield start, message


def _xid(message: str, origin: str, line: int | None) -> Xid | None:
    match = XID.search(message)
    if match:
        return Xid(int(match["number"]), message, _address(match["pci"]), origin, line)
    match = FALLEN_OFF.search(message)
    if match:
        return Xid(FALLEN_OFF_XID, message, _address(match["pci"]), origin, line)
    return None


def _was_reported_before(xid: Xid, xids: Iterable[Xid]) -> bool:
    """A lost GPU is reported twice: by its Xid, and in words."""
    return "Xid" not in xid.text and any(
        (known.number, known.pci_address) == (xid.number, xid.pci_address) for known in xids
    )


def _address(text: str | None) -> str | None:
    """`0000:65:00` and `0000:65:00.0` alike as `0000:65:00.0`."""
    if text is None:
        return None
    address = text.lower().strip(":.")
    return address if "." in address else f"{address}.0"
