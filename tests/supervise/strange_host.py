"""Hosts that are not this one: `strange_host.c`, compiled."""

import shutil
import subprocess
from pathlib import Path

import pytest

SOURCE = Path(__file__).with_suffix(".c")


class StrangeHosts:
    """Their environments, by name; their file systems have no locks."""

    def __init__(self, folder: Path) -> None:
        compiler = shutil.which("cc")
        if compiler is None:
            pytest.skip("no C compiler")
        self._folder = folder
        self._library = folder / "strange_host.so"
        command = [compiler, "-shared", "-fPIC", "-o", self._library, SOURCE, "-ldl"]
        subprocess.run(command, check=True)

    def environment(self, host: str) -> dict[str, str]:
        boot = self._folder / f"boot-of-{host}"
        boot.write_text(f"{host}-0000-0000\n")
        return {
            "LD_PRELOAD": str(self._library),
            "STRANGE_HOST": host,
            "STRANGE_BOOT": str(boot),
            # Without locks HDF5 opens nothing, unless it is told so.
            "HDF5_USE_FILE_LOCKING": "FALSE",
        }
