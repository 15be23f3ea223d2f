"""One verdict out of what was found, and what to do next."""

import re
from collections.abc import Iterator, Sequence

from fitguard.report.rows.shortage_words import describe_shortage, describe_ways
from fitguard.schema.check import CheckedFit, CheckReport, NextStep, Verdict
from fitguard.schema.doctor import DoctorReport
from fitguard.schema.finding import Finding
from fitguard.schema.journal import BATCH_STATISTICS
from fitguard.schema.plan import Plan
from fitguard.words import size

NOTHING_FOUND = "Ready to train: nothing was found that would stop it"
WITHOUT_DATA = "Nothing was found that would stop it, but no data were checked"
_ONE_FITS = "One sample fits then. If your batch does not, fitguard run trains it in parts."
_NO_SAMPLE = "Use a smaller model or a larger GPU: not even one sample fits"
UNREACHED = "Only the machine was checked: no call of fit was reached"


def compose_report(
    *,
    doctor: DoctorReport | None = None,
    fits: Sequence[CheckedFit] = (),
    command: str = "",
    failure: str = "",
    unreached: str = "",
    notes: Sequence[str] = (),
    missed: Sequence[int] = (),
    script: str = "",
    seconds: float = 0.0,
) -> CheckReport:
    """The whole report.

    Args:
        command: What trains, as one would type it behind `fitguard run`; empty for a model.
        failure: Why the script did not get as far as training.
        unreached: Why no call of fit was seen, where nothing is wrong.
        missed: Lines of the script that call `fit`, and were not looked at.
    """
    steps = [
        *_fix_machine(doctor),
        *_fix_script(failure),
        *_fix_data(fits),
        *_fix_call(fits),
    ]
    short = [fit for fit in fits if fit.plan is not None and fit.plan.fits is False]
    problems = [*(step.title for step in steps), *map(_shortage, short)]
    steps.extend(_make_room(short, command))
    warnings = sum(finding.severity == "warning" for finding in all_findings(doctor, fits))
    doubts = [
        *(_try_step(fit) for fit in fits if fit.doubt),
        *_reach(unreached),
        *_see_missed(missed, script),
    ]
    verdict: Verdict = "fails" if problems else "warnings" if warnings or doubts else "ready"
    steps.extend(doubts)
    if not problems and not doubts and command:
        steps.append(_keep_alive(command))
    if any(fit.plan for fit in fits) and not any(fit.plan and fit.plan.card for fit in fits):
        notes = (*notes, "No GPU is here: name one with --gpu to see whether the training fits it.")
    return CheckReport(
        ok=verdict != "fails",
        verdict=verdict,
        headline=_headline(problems, warnings, fits, missed),
        script=script,
        steps=tuple(steps),
        failure=failure,
        doctor=doctor,
        fits=tuple(fits),
        notes=tuple(notes),
        seconds=seconds,
    )


def all_findings(doctor: DoctorReport | None, fits: Sequence[CheckedFit]) -> list[Finding]:
    """Those of the machine and of all data."""
    reports = [doctor, *(fit.data for fit in fits)]
    return [finding for report in reports if report is not None for finding in report.findings]


def would_be_cured(report: CheckReport, allow: Sequence[str] = ()) -> bool:
    """Whether `fitguard run` by itself does all that has to be done.

    Args:
        allow: What it may do though it changes results.
    """
    plans = [fit.plan for fit in report.fits if fit.plan is not None and fit.plan.fits is False]
    if any(map(_needs_permission, plans)) and BATCH_STATISTICS not in allow:
        return False
    errors = any(one.severity == "error" for one in all_findings(report.doctor, report.fits))
    failures = report.failure or any(fit.failures for fit in report.fits)
    return not errors and not failures and all(plan.micro_batch_size for plan in plans)


def _fix_machine(doctor: DoctorReport | None) -> Iterator[NextStep]:
    for finding in doctor.findings if doctor is not None else ():
        if finding.severity == "error":
            yield _fix(finding)


def _fix_script(failure: str) -> Iterator[NextStep]:
    if failure:
        yield _split_step(failure, "Run the script itself to see more.")


def _reach(unreached: str) -> Iterator[NextStep]:
    if unreached:
        yield _split_step(unreached, "Name a function that returns (model, x, y): FILE.py:FUNCTION")


def _split_step(told: str, otherwise: str) -> NextStep:
    """The first line says what is wrong, the rest what to do."""
    first, _, rest = told.partition("\n")
    title = re.sub("^the ", "The ", first.removesuffix("."))
    return NextStep(title=title, text=rest.strip() or otherwise)


def _fix_data(fits: Sequence[CheckedFit]) -> Iterator[NextStep]:
    """The same finding of several fits is one."""
    found: dict[str, tuple[Finding, list[int]]] = {}
    for fit in fits:
        for finding in fit.data.findings if fit.data is not None else ():
            if finding.severity == "error":
                found.setdefault(finding.title, (finding, []))[1].append(fit.number)
    yield from (_fix(finding, *numbers) for finding, numbers in found.values())


def _fix_call(fits: Sequence[CheckedFit]) -> Iterator[NextStep]:
    """The same failure of several fits is one."""
    found: dict[str, list[int]] = {}
    for fit in fits:
        for failure in fit.failures:
            found.setdefault(failure, []).append(fit.number)
    for failure, numbers in found.items():
        title, _, text = failure.partition("\n")
        yield NextStep(title=title, text=text, fits=tuple(numbers))


def _fix(finding: Finding, *fits: int) -> NextStep:
    return NextStep(
        title=f"{finding.title} ({finding.code})",
        text=finding.fix.text,
        commands=finding.fix.commands,
        fits=fits,
        changes_results=finding.fix.changes_results,
    )


def _shortage(fit: CheckedFit) -> str:
    plan = fit.plan
    assert plan is not None
    assert plan.card is not None
    gpu, needed = plan.card.name or "the GPU", size(plan.required_bytes.likely)
    return (
        f"The batch of {plan.batch_size} does not fit: it needs {needed}, and {gpu} has "
        f"{size(plan.card.usable_bytes)} for it"
    )


def _make_room(short: Sequence[CheckedFit], command: str) -> Iterator[NextStep]:
    """What keeps the result comes first, for all fits at once."""
    split = [fit for fit in short if fit.plan is not None and fit.plan.micro_batch_size]
    if split and command:
        yield _split_batches(split, command)
    for fit in short:
        assert fit.plan is not None
        shortage = fit.plan.shortage
        enough = [one for one in fit.plan.advice if one.enough and one.slug != "micro-batch"]
        for advice in enough[:2]:
            yield NextStep(
                title=f"{'Or: ' if split and command else ''}{advice.title}",
                text=advice.text if shortage is None else f"{advice.text} {_ONE_FITS}",
                code=advice.code,
                fits=(fit.number,),
                changes_results=advice.changes_results,
            )
        if shortage is not None and not enough:
            text = f"{describe_shortage(shortage)} {describe_ways(shortage, fit.plan.advice)}"
            yield NextStep(title=_NO_SAMPLE, text=text.strip(), fits=(fit.number,))


def _split_batches(fits: Sequence[CheckedFit], command: str) -> NextStep:
    plans = [fit.plan for fit in fits if fit.plan is not None]
    changes = any(map(_needs_permission, plans))
    text = (
        "Each batch is trained in micro-batches that fit, and the optimizer sees the same batch as "
        "before."
    )
    if any(map(_splitting_changes, plans)) and not changes:
        text += (
            " Where layers look at the whole batch, as BatchNormalization does, it stays whole,"
            " and part of each step is computed twice to save memory."
        )
    if changes:
        text += (
            " Layers that look at the whole batch, as BatchNormalization does, see the "
            "micro-batches instead: fitguard splits such a batch only where you allow it."
        )
    allow = f"--allow {BATCH_STATISTICS} " if changes else ""
    return NextStep(
        title="Train with fitguard run: it splits the batches that do not fit",
        text=text,
        commands=(f"fitguard run {allow}{command}",),
        fits=tuple(fit.number for fit in fits),
        changes_results=changes,
    )


def _splitting_changes(plan: Plan) -> bool:
    """Whether layers look at the batch as a whole."""
    return any(one.slug == "micro-batch" and one.changes_results for one in plan.advice)


def _needs_permission(plan: Plan) -> bool:
    """Whether nothing but a change of the results would make the batch fit."""
    recomputed = any(one.slug == "recomputation" and one.enough for one in plan.advice)
    return _splitting_changes(plan) and not recomputed


def _try_step(fit: CheckedFit) -> NextStep:
    raised, _, hint = fit.doubt.partition("\n")
    return NextStep(title=raised, text=hint, fits=(fit.number,))


def _see_missed(missed: Sequence[int], script: str) -> Iterator[NextStep]:
    if missed:
        yield NextStep(
            title=_tell_missed(missed),
            text=(
                "The notes say where the script was left. Write a function that returns the "
                "(model, x, y) of that call, and check it as well:"
            ),
            commands=(f"fitguard check {script}:FUNCTION",),
        )


def _tell_missed(lines: Sequence[int]) -> str:
    *most, last = map(str, lines)
    if not most:
        return f"The fit in line {last} was not looked at"
    return f"The fits in lines {', '.join(most)} and {last} were not looked at"


def _keep_alive(command: str) -> NextStep:
    return NextStep(
        title="Start it",
        text="fitguard run trains, and starts again where the training left off if it dies.",
        commands=(f"fitguard run {command}",),
    )


def _headline(
    problems: Sequence[str], warnings: int, fits: Sequence[CheckedFit], missed: Sequence[int]
) -> str:
    if problems:
        more = f", and {len(problems) - 1} more problems" if len(problems) > 2 else ""
        more = ", and one more problem" if len(problems) == 2 else more
        return f"Training would fail: {_begin_small(problems[0])}{more}"
    if doubt := next((fit.doubt for fit in fits if fit.doubt), ""):
        return f"Training may fail: {_begin_small(doubt.splitlines()[0])}"
    if not fits:
        return UNREACHED
    told = WITHOUT_DATA if all(fit.data is None for fit in fits) else NOTHING_FOUND
    if missed:
        told = f"Nothing was found that would stop it, but {_begin_small(_tell_missed(missed))}"
    dearest = max(
        (fit.plan for fit in fits if fit.plan is not None and fit.plan.card is not None),
        key=lambda plan: plan.required_bytes.likely,
        default=None,
    )
    if dearest is not None and dearest.card is not None:
        told += (
            f"; a step needs {size(dearest.required_bytes.likely)} of the "
            f"{size(dearest.card.usable_bytes)} that {dearest.card.name or 'the GPU'} has for it"
        )
    if warnings:
        told += f"; {warnings} {'warning' if warnings == 1 else 'warnings'}"
    return told


def _begin_small(title: str) -> str:
    """The rest of a sentence: "The batch" becomes "the batch", names stay as they are."""
    first, _, rest = title.partition(" ")
    return f"{first.lower()} {rest}" if first in ("The", "A", "An", "No", "All", "Its") else title
