"""Small files of /proc, /sys and /dev, where "not there" is an answer and no error."""

from pathlib import Path


def text(path: Path) -> str | None:
    """What the file holds, without white space at the ends; None where it cannot be read."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None


def number(path: Path) -> int | None:
    """The number that the file holds; None where it holds none, such as `max`."""
    held = text(path)
    return int(held) if held is not None and held.isdecimal() else None


def fields(path: Path, separator: str | None = None) -> dict[str, str]:
    """The file's lines as `key<separator>value`; empty where it cannot be read."""
    pairs = (line.split(separator, 1) for line in (text(path) or "").splitlines())
    return {pair[0].strip(): pair[1].strip() for pair in pairs if len(pair) == 2}


def entries(directory: Path) -> list[Path] | None:
    """The directory's entries in order of name; None where it cannot be listed."""
    try:
        return sorted(directory.iterdir())
    except OSError:
        return None
