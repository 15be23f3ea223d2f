"""The parts of a run as rows: the run itself, its attempts, its `fit` calls, its snapshots."""

import math

from fitguard.report.blocks import Row, Span, Table, Tone, Words
from fitguard.report.rows.run_speed import remaining, speed
from fitguard.report.rows.run_words import (
    GROUPS,
    command,
    epoch_number,
    find_named_cause,
    moment,
    outcome,
    took,
    value,
)
from fitguard.report.rows.tables import drop_empty_columns
from fitguard.schema.journal import UNGUARDED
from fitguard.schema.run import Attempt, Run, RunFit
from fitguard.schema.run_command import is_soak
from fitguard.words import duration, join, percent, short, size

LONGEST_NAME = 60
LONGEST_COMMAND = 300
MOST_COLUMNS = 8
MOST_ATTEMPTS = 6
OUTCOME_TONES: dict[str, Tone] = {
    "finished": "fine",
    "running": "info",
    "memory": "warning",
    "failed": "error",
    "lost": "warning",
}
ACTIONS = {
    "restart": "started again",
    "recompute": "recompute",
    "smaller-micro-batch": "smaller micro-batch",
    "whole-batch": "whole batch",
    "other-allocator": "other allocator",
    "wait-for-memory": "waited for memory",
    "leave-out-gpu": "left out a GPU",
    "jit-off": "XLA off",
    "mixed-precision": "mixed precision",
    "planned-restart": "planned restart",
    "fewer-workers": "fewer workers",
    "more-workers": "more workers",
    "probe": "probed",
    "stop": "stopped",
}


def run_rows(run: Run) -> list[Row]:
    """Labels and values: what ran, where, when, how long, with which end."""
    rows = [
        ("Command", short(command(run.command), LONGEST_COMMAND)),
        ("Run", run.id),
        ("Folder", run.folder),
        ("Started", moment(run.started)),
        ("Took", join([duration(run.seconds), _format_waiting(run)])),
        ("Speed", speed(run)),
        ("Time left", remaining(run)),
        ("Exit code", "" if run.exit_code is None else str(run.exit_code)),
        ("Last", _last_values(run)),
        ("Memory", _peaks(run)),
        ("Memory limit", _limit(run)),
        ("fitguard", run.fitguard),
    ]
    return [(name, text) for name, text in rows if text]


def attempt_table(run: Run) -> Table:
    """Number, when since the start, how long, its steps, how it ended, why, what was done then."""
    noun = "computation" if is_soak(run.command) else "step"
    begun = ("attempt", "began", "took", f"from {noun}", f"{noun}s")
    headers = (*begun, "lost", "ended", "cause", "then")
    rows = tuple(_describe_attempt(attempt, run) for attempt in run.attempts)
    return drop_empty_columns(
        Table(headers, rows, most=MOST_ATTEMPTS, noun="earlier attempt", newest_last=True)
    )


def _describe_attempt(attempt: Attempt, run: Run) -> tuple[Words, ...]:
    return (
        f"{attempt.number}",
        duration(max(attempt.started - run.started, 0.0)),
        duration(took(attempt, run)),
        _reach(attempt, several_fits=len(run.fits) > 1),
        f"{attempt.steps_done:,}",
        f"{attempt.steps_lost:,}" if attempt.steps_lost else "",
        Span(outcome(attempt, run), tone=OUTCOME_TONES.get(GROUPS[attempt.outcome], "")),
        find_named_cause(attempt),
        action(attempt.action),
    )


def fit_table(run: Run) -> Table:
    """The `fit` calls of the script, with their batches and micro-batches."""
    rows = tuple(
        (
            f"{fit.number}",
            fit.library,
            short(fit.model, LONGEST_NAME),
            _number(fit.epochs),
            _number(fit.steps_per_epoch),
            _number(fit.batch_size),
            _micro_batch(fit),
            "yes" if fit.finished else "no",
        )
        for fit in run.fits
    )
    headers = (
        *("fit", "library", "model", "epochs", "steps/epoch", "batch", "micro-batch"),
        "finished",
    )
    return drop_empty_columns(Table(headers, rows))


def inexact(run: Run) -> list[tuple[str, str]]:
    """What may differ from an undisturbed run: the `fit` call, and why."""
    return [(f"fit {fit.number}", why) for fit in run.fits for why in fit.inexact]


def collect_unguarded(run: Run) -> list[str]:
    """What is not guarded, and why; each once."""
    return list(dict.fromkeys(note.text for note in run.notes if note.kind == UNGUARDED))


def notes(run: Run) -> list[str]:
    """What else the user should know; each once."""
    said = {*(why for _, why in inexact(run)), *collect_unguarded(run)}
    return [text for text in dict.fromkeys(note.text for note in run.notes) if text not in said]


def snapshot_rows(run: Run) -> list[Row]:
    """How many, how large, and what they cost."""
    totals = run.snapshots
    if not totals.count and not totals.failed:
        return []
    trained = sum(took(attempt, run) for attempt in run.attempts)
    still = f"{duration(totals.taking_seconds)}{_share(totals.taking_seconds, trained)}"
    rows = [
        ("Written", join([f"{totals.count:,}", size(totals.bytes) if totals.bytes else None])),
        ("Not written", f"{totals.failed:,}" if totals.failed else ""),
        ("Training paused", still if totals.count else ""),
        ("In background", duration(totals.writing_seconds) if totals.count else ""),
    ]
    return [(name, text) for name, text in rows if text]


def epoch_table(run: Run) -> Table:
    """What Keras logged at the end of each epoch; of one that was done twice, the last."""
    ends = {epoch_number(point): point for point in run.losses if point.epoch_end}
    names = list(dict.fromkeys(name for point in ends.values() for name in point.logs))
    names = names[:MOST_COLUMNS]
    rows = tuple(
        (
            f"{epoch:,}",
            str(fit) if len(run.fits) > 1 else "",
            *(value(point.logs[name]) if name in point.logs else "" for name in names),
            f"{point.attempt}",
        )
        for (fit, epoch), point in sorted(ends.items())
    )
    shown = (short(name, LONGEST_NAME) for name in names)
    return drop_empty_columns(Table(("epoch", "fit", *shown, "attempt"), rows))


def action(slug: str) -> str:
    """What was done next, in words."""
    return ACTIONS.get(slug, slug.replace("-", " "))


def _reach(attempt: Attempt, *, several_fits: bool) -> str:
    if not attempt.last.fit:
        return ""
    first, last = attempt.first, attempt.last
    if not several_fits:
        return f"{first.total_steps:,} to {last.total_steps:,}"
    begun = f"fit {first.fit}: {first.total_steps:,}" if first.fit else ""
    if first.fit == last.fit:
        return f"{begun} to {last.total_steps:,}"
    return f"{begun} to fit {last.fit}: {last.total_steps:,}"


def _micro_batch(fit: RunFit) -> str:
    if fit.micro_batch is None:
        return ""
    if not fit.batch_size or fit.micro_batch >= fit.batch_size:
        return f"{fit.micro_batch:,}"
    return f"{fit.micro_batch:,} ({-(-fit.batch_size // fit.micro_batch):,} a step)"


def _format_waiting(run: Run) -> str | None:
    """Time between the attempts: waiting for memory, or for somebody to resume."""
    idle = run.seconds - sum(took(attempt, run) for attempt in run.attempts)
    is_long = len(run.attempts) > 1 and idle > 0.01 * run.seconds
    return f"{duration(idle)} of it between attempts" if is_long else None


def _last_values(run: Run) -> str:
    """The newest of each value that Keras logged."""
    newest: dict[str, float] = {}
    for point in run.losses:
        newest |= point.logs
    shown = list(newest.items())[:MOST_COLUMNS]
    return join(f"{short(name, LONGEST_NAME)} {value(number)}" for name, number in shown)


def _peaks(run: Run) -> str:
    host = max((attempt.peak_host_bytes for attempt in run.attempts), default=0)
    gpu = max((attempt.peak_gpu_bytes for attempt in run.attempts), default=0)
    allocator = run.peak_allocator_bytes
    return join(
        [
            f"host up to {size(host)}" if host else None,
            f"GPU up to {size(gpu)}" if gpu else None,
            f"allocator up to {size(allocator)}" if allocator else None,
        ]
    )


def _limit(run: Run) -> str:
    return "" if run.memory_limit_bytes is None else size(run.memory_limit_bytes)


def _share(part: float, whole: float) -> str:
    if not whole or not math.isfinite(part / whole):
        return ""
    return f" ({percent(round(part * 1000), round(whole * 1000))} of the time)"


def _number(given: int | None) -> str:
    return "" if given is None else f"{given:,}"
