"""A gang of plain workers, as processes: each has a guard of its own, as on several machines."""

import json
import subprocess
from pathlib import Path

import programs
from programs import wait_for
from supervise.parents import parent_command, written

from fitguard.monitor.gang_folder import GangFolder
from fitguard.monitor.journal import Journal
from fitguard.schema.journal import AttemptEnded, AttemptStarted, FitBegan

NAME = "night"


class PlainGang:
    """Its workers.

    Args:
        text: Of the script.
        options: Of all guards.
    """

    def __init__(self, folder: Path, text: str, workers: int = 2, **options) -> None:
        self.folder = folder
        self.script = written(folder, text)
        self.numbers = range(workers)
        self._options = {"name": None, "lease_seconds": 2.0, **options}
        self.guards: dict[int, subprocess.Popen] = {}
        self.gang = GangFolder(folder / "runs", NAME)

    def start(self, *numbers: int, **options) -> None:
        """Start guards; all of them unless told otherwise."""
        for number in numbers or self.numbers:
            place = {"name": NAME, "worker": number, "workers": len(self.numbers), "seconds": 60.0}
            place |= options.pop("place", {})
            own = {**self._options, **options, "gang": place, "name": f"{NAME}-worker-{number}"}
            with (
                self.path("err", number).open("ab") as err,
                self.path("out", number).open("ab") as out,
            ):
                self.guards[number] = programs.start(
                    parent_command(self.script, **own),
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=err,
                    cwd=self.folder,
                )

    def path(self, stream: str, number: int) -> Path:
        return self.folder / f"{stream}-{number}"

    def told(self, number: int) -> str:
        return self.path("err", number).read_text()

    def until(self, number: int, text: str) -> None:
        """Wait until a training has written this."""
        guard = self.guards[number]
        wait_for(lambda: text in self.path("out", number).read_text() or guard.poll() is not None)
        assert text in self.path("out", number).read_text(), self.told(number)

    def until_saved(self, least: int = 1) -> None:
        """Wait until there are so many complete sets."""
        wait_for(lambda: len(self.complete()) >= least)

    def complete(self) -> list:
        from fitguard.supervise.gang.peers import list_places
        from fitguard.supervise.gang.rounds import list_complete

        return list_complete([list_places(self.gang, number) for number in self.numbers])

    def ended(self) -> list[int]:
        return [self.guards[n].wait(programs.LONGEST_SECONDS) for n in self.numbers]

    def events(self, number: int, kind: type) -> list:
        journal = Journal(self.gang.find_worker(number).journal).read()
        return [event for event in journal if isinstance(event, kind)]

    def child(self, number: int) -> int:
        return self.events(number, AttemptStarted)[-1].pid

    def outcomes(self, number: int) -> list[str]:
        return [event.outcome for event in self.events(number, AttemptEnded)]

    def begun(self, number: int) -> list[int]:
        """From which step each attempt went on."""
        return [event.place.total_steps for event in self.events(number, FitBegan)]

    def run(self, number: int) -> dict:
        return json.loads(self.gang.find_worker(number).document.read_bytes())
