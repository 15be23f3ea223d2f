"""A guarded run of a plain script, as a process."""

import json
import subprocess
import sys
from pathlib import Path

import programs
from programs import wait_for
from supervise import plain_parent

from fitguard.monitor.journal import Journal

UNTIL_TOLD = """
import pathlib
for step in training.steps(10_000_000):
    print("step", step, flush=True)
    if pathlib.Path("enough").exists(): break
"""
"""Trains until a file `enough` is in its folder."""


def written(folder: Path, text: str) -> Path:
    """A script with this text."""
    script = folder / "train.py"
    script.write_text(text)
    return script


def parent_command(script: Path, *arguments: str, **options) -> list[str]:
    """What starts the parent."""
    own = [sys.executable, plain_parent.__file__, json.dumps(options)]
    return [*own, str(script), *arguments]


class Parent:
    """`fitguard run` as a process; its output goes to files, or where it is told to.

    Args:
        before: Words that start it, such as `nohup`.
        ignored: Signals that are ignored by who starts it.
    """

    def __init__(
        self,
        folder: Path,
        text: str,
        *arguments: str,
        streams=None,
        before=(),
        ignored=(),
        **options,
    ) -> None:
        self.folder = folder
        self.script = written(folder, text)
        self._files = [] if streams else [(folder / name).open("ab") for name in ("out", "err")]
        stdout, stderr = streams or self._files
        self.process = programs.start(
            [*before, *parent_command(self.script, *arguments, **options)],
            ignored=ignored,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            cwd=folder,
        )

    @property
    def out(self) -> str:
        return (self.folder / "out").read_text()

    @property
    def err(self) -> str:
        return (self.folder / "err").read_text()

    def until(self, text: str) -> None:
        """Wait until the training has written this on stdout."""
        wait_for(lambda: text in self.out or self.process.poll() is not None)
        assert text in self.out, self.err

    def ended(self) -> int:
        """Its exit code."""
        try:
            return self.process.wait(programs.LONGEST_SECONDS)
        finally:
            for file in self._files:
                file.close()

    @property
    def child(self) -> int:
        """The number of the training process."""
        return self.run()["attempts"][-1]["pid"]

    @property
    def run_folder(self) -> Path:
        return newest_run(self.folder)

    def run(self) -> dict:
        return json.loads((self.run_folder / "run.json").read_bytes())

    def events(self, kind: type) -> list:
        found = Journal(self.run_folder / "journal.jsonl").read()
        return [event for event in found if isinstance(event, kind)]


def newest_run(folder: Path) -> Path:
    """The second is in a name; of two runs that began in one, the one that was written to last."""
    runs = (folder / "runs").glob("2*")
    return max(runs, key=lambda run: (run.name[:15], (run / "journal.jsonl").stat().st_mtime_ns))
