"""A guarded run of a plain script: in this process, or in a parent process of its own.

python guarded.py OPTIONS-AS-JSON SCRIPT ARGUMENTS…
"""

import json
import resource
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

from fitguard.cli.run import say
from fitguard.monitor.journal import Journal
from fitguard.schema.exit_codes import UsageError
from fitguard.supervise.command import Command
from fitguard.supervise.guarding import guard
from fitguard.supervise.options import RunOptions

CHILD = Path(__file__).with_name("plain_child.py")


def plain_command(script: Path, *arguments: str) -> Command:
    """The command whose child is `plain_child.py`."""
    return Command(
        python=sys.executable, target=(str(script),), arguments=arguments, bootstrap=(str(CHILD),)
    )


def written(folder: Path, text: str) -> Path:
    """A script with this text."""
    script = folder / "train.py"
    script.write_text(text)
    return script


class Parent:
    """`fitguard run` as a process; its output goes to files, or where it is told to."""

    def __init__(self, folder: Path, text: str, *arguments: str, streams=None, **options) -> None:
        self.folder = folder
        self.script = written(folder, text)
        self._files = [] if streams else [(folder / name).open("ab") for name in ("out", "err")]
        stdout, stderr = streams or self._files
        self.process = subprocess.Popen(
            [sys.executable, __file__, json.dumps(options), str(self.script), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            cwd=folder,
            start_new_session=True,
        )

    @property
    def out(self) -> str:
        return (self.folder / "out").read_text()

    @property
    def err(self) -> str:
        return (self.folder / "err").read_text()

    def until(self, text: str, seconds: float = 20.0) -> None:
        """Wait until the training has written this on stdout."""
        wait_for(lambda: text in self.out, seconds)

    def ended(self, seconds: float = 30.0) -> int:
        """Its exit code."""
        try:
            return self.process.wait(seconds)
        finally:
            for file in self._files:
                file.close()

    @property
    def run_folder(self) -> Path:
        return newest_run(self.folder)

    def run(self) -> dict:
        return json.loads((self.run_folder / "run.json").read_bytes())

    def events(self, kind: type) -> list:
        found = Journal(self.run_folder / "journal.jsonl").read()
        return [event for event in found if isinstance(event, kind)]


def newest_run(folder: Path) -> Path:
    return max((folder / "runs").glob("2*"))


def wait_for(condition, seconds: float = 20.0):
    """Wait until a condition holds."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)
    return value


def main() -> None:
    given, script, *arguments = sys.argv[1:]
    wanted = json.loads(given)
    if limit := wanted.pop("file_limit_bytes", None):
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    options = replace(RunOptions(runs_folder=Path("runs")), **wanted)
    try:
        sys.exit(guard(plain_command(Path(script), *arguments), options, say=say).exit_code)
    except UsageError as error:
        say(str(error))
        sys.exit(2)


if __name__ == "__main__":
    main()
