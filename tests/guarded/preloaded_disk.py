"""The faulty disk of faulty_disk.c, below all processes of a run."""

import shutil
import subprocess
from pathlib import Path

import pytest

FAULTS = ("EIO", "ENOSPC", "EDQUOT", "ESTALE", "short", "slow")
_SOURCE = Path(__file__).with_name("faulty_disk.c")


def compile_disk(folder):
    """The library to preload; the test is skipped where there is no compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("a disk that fails under a real process needs a C compiler, and there is no cc")
    library = folder / "faulty_disk.so"
    words = [compiler, "-shared", "-fPIC", "-O1", "-o", str(library), str(_SOURCE), "-ldl"]
    subprocess.run(words, check=True)
    return library


class PreloadedDisk:
    """A disk that can be told to fail.

    Args:
        library: Of `compile_disk`.
        folder: Files below it are on that disk.
        orders: A file outside of it.
    """

    def __init__(self, library, folder, orders):
        self._orders = orders
        self._hits = orders.with_name(f"{orders.name}.hits")
        self.environment = {
            "LD_PRELOAD": str(library),
            "FAULTY_DISK_FOLDER": str(folder),
            "FAULTY_DISK_ORDERS": str(orders),
        }
        self.mend()

    def fail(self, fault, share=1.0):
        """Let so many of the operations fail from now on."""
        self._orders.write_text(f"{fault} {share}")

    def mend(self):
        """All is well again."""
        self._orders.write_text("")

    @property
    def hits(self):
        """How often it has failed."""
        return self._hits.stat().st_size if self._hits.exists() else 0
