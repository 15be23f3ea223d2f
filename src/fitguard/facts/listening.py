"""Which sockets of this machine wait at a port."""

from pathlib import Path

from fitguard.facts import files

_LISTENS = "0A"


def list_listening(port: int, root: Path = Path("/proc")) -> list[str] | None:
    """The kernel's numbers of the sockets; None where it tells of none at all."""
    tables = [files.text(root / "net" / name) for name in ("tcp", "tcp6")]
    if tables == [None, None]:
        return None
    rows = [line.split() for table in tables for line in (table or "").splitlines()[1:]]
    return [
        row[9] for row in rows if row[3] == _LISTENS and int(row[1].rpartition(":")[2], 16) == port
    ]
