"""The folder of this node in which runs of a remote storage train.

runs/NAME       as `fitguard run` keeps it
bases/NAME      the number of the manifest that it came from, or that was made of it last
pulling/NAME    a copy that is not whole yet
copies/NAME     links to a run that is being copied away
aside/NAME-…    a run of which the storage knows nothing any more
"""

import contextlib
import hashlib
import os
import secrets
import shutil
from collections.abc import Mapping
from pathlib import Path

from fitguard.fleet.storage.manifest import Number, parse_number
from fitguard.monitor.flushing import sync_folder
from fitguard.monitor.regular_files import make_folder, read_regular, replace_file
from fitguard.monitor.run_folder import RunFolder
from fitguard.monitor.trust import find_distrust

FOLDER_VARIABLE = "FITGUARD_NODE_FOLDER"
"""On a node: where such folders are; default: the user's cache."""
_MOST_BYTES = 100


class NodeFolder:
    """Of one storage, on this node.

    Args:
        url: Of the storage.
    """

    def __init__(self, url: str, environment: Mapping[str, str] = os.environ) -> None:
        digest = hashlib.sha256(url.encode()).hexdigest()[:16]
        self.path = _find_place(environment) / digest
        self.runs = self.path / "runs"
        self.pulling = self.path / "pulling"
        self.copies = self.path / "copies"
        self._bases = self.path / "bases"
        self._aside = self.path / "aside"

    def find_problem(self) -> str:
        """Why nothing can train there; empty for nothing. Makes it where it is missing."""
        try:
            for folder in (self.runs, self.pulling, self.copies, self._bases):
                make_folder(folder, Path(folder.anchor))
        except OSError as error:
            return f"{error.filename}: {error.strerror}. Set {FOLDER_VARIABLE} there"
        if problem := find_distrust(self.path) or find_distrust(self.runs):
            return f"{self.path}: {problem}"
        return ""

    def open_run(self, run: str) -> RunFolder:
        """The folder of a run; it may be missing."""
        return RunFolder(self.runs / run)

    def find_base(self, run: str) -> Number | None:
        """Of which manifest the run here is; None where there is none, or nobody knows."""
        with contextlib.suppress(OSError, UnicodeDecodeError):
            if self.open_run(run).journal.is_file():
                return parse_number(read_regular(self._bases / run, _MOST_BYTES).decode())
        return None

    def set_base(self, run: str, number: Number) -> None:
        """What is here was made of this manifest, or went into it."""
        replace_file(self._bases / run, str(number).encode())

    def put_in_place(self, run: str, pulled: Path, number: Number) -> None:
        """Train with this copy from now on; what was here is older, or of a start that was lost."""
        (self._bases / run).unlink(missing_ok=True)
        self.remove(run)
        pulled.rename(self.open_run(run).path)
        sync_folder(self.runs)
        self.set_base(run, number)

    def set_aside(self, run: str) -> Path | None:
        """Move a run away of which the storage knows nothing; where it lies now."""
        folder = self.open_run(run).path
        if not folder.exists():
            return None
        make_folder(self._aside, self.path)
        return folder.rename(self._aside / f"{run}-{secrets.token_hex(4)}")

    def remove(self, run: str) -> None:
        """Remove a run that the storage has."""
        shutil.rmtree(self.open_run(run).path, ignore_errors=True)


def _find_place(environment: Mapping[str, str]) -> Path:
    if told := environment.get(FOLDER_VARIABLE):
        return Path(told).expanduser().absolute()
    cache = environment.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111
    return Path(cache).absolute() / "fitguard" / "fleet"
