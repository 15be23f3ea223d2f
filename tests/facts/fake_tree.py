"""A tree of small files, to stand for / in tests."""

from pathlib import Path


def plant(root: Path, files: dict[str, str | bytes]) -> Path:
    """Writes the files below `root`; a path that ends in / is a directory."""
    for name, content in files.items():
        path = root / name
        if name.endswith("/"):
            path.mkdir(parents=True, exist_ok=True)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def link(root: Path, name: str, target: str) -> None:
    """Makes `root/name` a symbolic link."""
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)
