"""Reports of all runs of a folder: a night of a fleet, one that is done, a hostile one."""

import msgspec
from report.made_runs import BEGAN, GIB, PLAIN, STOPPED, SURVIVED, hostile_run

from fitguard.schema.run import Attempt, Run
from fitguard.schema.runs_report import RunsReport

H200 = "gpu-1/0 NVIDIA H200"
A100 = "gpu-2/3 NVIDIA A100-SXM4-80GB"


def on_cards(run: Run, name: str, *cards: str) -> Run:
    """The run, with each of its attempts on one of these cards."""
    attempts = tuple(
        msgspec.structs.replace(one, card=cards[number % len(cards)])
        for number, one in enumerate(run.attempts)
    )
    return msgspec.structs.replace(
        run,
        id=name,
        attempts=attempts,
        memory_limit_bytes=13 * GIB,
        peak_allocator_bytes=9 * GIB,
        losses=(),
        samples=(),
        saved=(),
        series=(),
    )


NIGHT = RunsReport(
    folder="/shared/runs",
    runs=(
        on_cards(PLAIN, "plain", H200),
        on_cards(SURVIVED, "survived", H200, A100),
        on_cards(STOPPED, "stopped", A100),
    ),
    unreadable=("/shared/runs/old: no line of it is an event.",),
)
DONE_NIGHT = RunsReport(folder="runs", runs=(on_cards(PLAIN, "plain", ""),))


def long_night(runs: int, attempts: int) -> RunsReport:
    """So many runs, each killed so often."""

    def attempt(number: int) -> Attempt:
        start = BEGAN + 10 * number
        return Attempt(
            number=number + 1, started=start, ended=start + 8, outcome="killed", signal="SIGKILL",
            steps_done=5, steps_lost=1, card=f"gpu/{number % 5} A",
        )  # fmt: skip

    made = tuple(map(attempt, range(attempts)))
    return RunsReport(
        folder="runs",
        runs=tuple(
            Run(id=f"run-{number}", command=("train.py",), folder=f"runs/run-{number}",
                started=BEGAN, seconds=10 * attempts, state="lost", attempts=made)
            for number in range(runs)
        ),
    )  # fmt: skip


def hostile_night(text: str) -> RunsReport:
    """Every name and sentence is this text."""
    run = on_cards(hostile_run(text), text, text)
    return RunsReport(folder=text, runs=(run, run), unreadable=(text,))


NIGHTS = {
    "night of a fleet": NIGHT,
    "night that is done": DONE_NIGHT,
    "night without runs": RunsReport(folder="runs"),
}
