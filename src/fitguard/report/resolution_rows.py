"""The answer of `resolve` as rows of label and value."""

from fitguard.report.words import label, title
from fitguard.schema.resolution import Install, Resolution, VersionSet

Row = tuple[str, str]

WAYS = {"container": "Run the official container"}


def given(resolution: Resolution) -> list[Row]:
    """What was fixed before the search."""
    return [(title(label(key.replace("-", "_"))), told) for key, told in resolution.given.items()]


def way(install: Install) -> str:
    """What the commands of one way do."""
    return WAYS.get(install.way, f"Install with {install.way}")


def versions(chosen: VersionSet) -> list[Row]:
    """The versions of the set; what is not known is left out."""
    fields = ("package", "tensorflow", "python", "cuda", "cudnn", "keras", "numpy", "protobuf")
    rows = [(title(label(field)), getattr(chosen, field)) for field in fields]
    last = chosen.driver_last_branch
    until = f", up to branch {last}" if last else ""
    driver = f"{chosen.driver_min} or newer{until}" if chosen.driver_min else None
    return [(name, value) for name, value in [*rows, ("Driver", driver)] if value]
