"""Runs a training of the corpus plainly, and guarded with kills, and judges what came of it."""

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

import msgspec
from corpus.cases import Case
from corpus.forking import SEED, Ended, ForkServer
from corpus.judging import Outcome, difference, judge
from corpus.moments import Event, draw_first, draw_next, read_events

from fitguard.monitor.heartbeat import Heartbeat
from fitguard.monitor.journal import Journal, now
from fitguard.monitor.run_folder import RunFolder
from fitguard.schema.journal import AttemptEnded, AttemptStarted, Orders, RunStarted

_KILLED = -9
_OFTEN = 1e-6
"""Seconds between snapshots: one at each step, as far as the disk follows."""


class Broken(Exception):
    """A training that did not come to its end."""


@dataclass
class Run:
    """One guarded run.

    Args:
        kills: Moments at which it was killed.
        kept: What the training wrote at its end.
    """

    kills: list[str] = field(default_factory=list)
    kept: dict[str, Any] = field(default_factory=dict)
    journal: list[Any] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    broken: str = ""


def try_case(case: Case, server: ForkServer, folder: Path, kills: list[int], seed: str) -> Outcome:
    """The outcome of a training that is killed so many times, in runs of their own."""
    try:
        plain = run_plainly(case, server, folder / "plain")
    except Broken as error:
        return Outcome(case.name, "BROKEN", f"plainly: {error}")
    if case.unseeded:
        plain.kept = run_guarded(case, server, folder / "calm", Random(), plain).kept
    runs = []
    for number in kills:
        random = Random(f"{seed} {case.name} {number}")
        runs.append(run_guarded(case, server, folder / f"killed-{number}", random, plain, number))
    outcome = judge(case, plain.kept, runs)
    if outcome.verdict == "SILENT" and not case.announced and not case.unseeded:
        again = difference(plain.kept, run_plainly(case, server, folder / "again").kept)
        return replace(outcome, verdict="UNSTABLE", why=again) if again else outcome
    return outcome


def run_plainly(case: Case, server: ForkServer, folder: Path) -> Run:
    """Without fitguard."""
    ended = server.train(case.script, folder, folder)
    if ended.code:
        raise Broken(last_words(folder))
    return Run(kept=read_kept(folder), events=read_events(folder / "events.txt"))


def run_guarded(
    case: Case, server: ForkServer, folder: Path, random: Random, plain: Run, kills: int = 0
) -> Run:
    """Attempt after attempt over one run folder, as `fitguard run` does it."""
    folder.mkdir(parents=True)
    record, run = RunRecord(folder / "run", case), Run()
    left, seconds = len(plain.events), 1.0
    for attempt in range(1, kills + 2):
        moment = None
        if attempt == 1 and kills:
            moment = draw_first(random, plain.events, kills)
        elif attempt <= kills:
            moment = draw_next(random, left, seconds)
        record.begin(attempt)
        before = len(read_events(folder / "events.txt"))
        ended = server.train(case.script, folder, folder, run=record.folder.path, moment=moment)
        record.end(attempt, ended)
        if ended.code != _KILLED:
            break
        run.kills.append(str(moment))
        left -= len(read_events(folder / "events.txt")) - before
        seconds = ended.seconds
    run.journal = Journal(record.folder.journal).read()
    run.events = read_events(folder / "events.txt")
    if ended.code:
        run.broken = f"exit code {ended.code}: {last_words(folder)}"
    else:
        run.kept = read_kept(folder)
    return run


class RunRecord:
    """What the parent of a guarded run writes."""

    def __init__(self, path: Path, case: Case) -> None:
        path.mkdir()
        self.folder = RunFolder(path)
        self._journal = Journal(self.folder.journal)
        command = (str(case.script),)
        self._journal.append(RunStarted(time=now(), id=path.name, command=command, seed=SEED))

    def begin(self, attempt: int) -> None:
        """Orders for the next child."""
        orders = Orders(attempt=attempt, seed=SEED, plan=False, snapshot_seconds=_OFTEN)
        self.folder.orders.write_bytes(msgspec.json.encode(orders))
        Heartbeat(self.folder.heartbeat, create=True).close()
        self._journal.append(AttemptStarted(time=now(), attempt=attempt, pid=0, orders=orders))

    def end(self, attempt: int, ended: Ended) -> None:
        """How it ended."""
        outcome = {0: "finished", _KILLED: "killed"}.get(ended.code, "crashed")
        self._journal.append(
            AttemptEnded(time=now(), attempt=attempt, outcome=outcome, exit_code=ended.code)
        )


def read_kept(folder: Path) -> dict[str, Any]:
    """What `keep` wrote."""
    try:
        return json.loads((folder / "kept.json").read_text())
    except FileNotFoundError:
        raise Broken("it ended without a result") from None


def last_words(folder: Path) -> str:
    """The last line of its output that says something."""
    text = (folder / "output.txt").read_text(errors="replace")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:200] if lines else "no word"
