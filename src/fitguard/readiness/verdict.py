"""One verdict out of what was found, and what to do next."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from fitguard.report.words import size
from fitguard.schema.check import CheckedFit, CheckReport, NextStep, Verdict
from fitguard.schema.doctor import DoctorReport
from fitguard.schema.finding import Finding
from fitguard.schema.plan import Plan

NOTHING_FOUND = "Ready to train: nothing was found that would stop it"


class Problem(NamedTuple):
    """Something that would end the training."""

    title: str
    steps: tuple[NextStep, ...]


def compose_report(
    *,
    doctor: DoctorReport | None = None,
    fits: Sequence[CheckedFit] = (),
    command: str = "",
    failure: str = "",
    notes: Sequence[str] = (),
    script: str = "",
    seconds: float = 0.0,
) -> CheckReport:
    """The whole report.

    Args:
        command: What trains, as one would type it behind `fitguard run`; empty for a model.
        failure: Why the script did not get as far as training.
    """
    problems = _join_alike([*_of_machine(doctor), *_of_script(failure), *_of_fits(fits, command)])
    warnings = sum(finding.severity == "warning" for finding in all_findings(doctor, fits))
    verdict: Verdict = "fails" if problems else "warnings" if warnings else "ready"
    steps = [step for problem in problems for step in problem.steps]
    if not problems and command:
        steps.append(_keep_alive(command))
    if not any(fit.plan and fit.plan.card for fit in fits) and any(fit.plan for fit in fits):
        notes = (*notes, "No GPU is here: name one with --gpu to see whether the training fits it.")
    return CheckReport(
        ok=verdict != "fails",
        verdict=verdict,
        headline=_headline(problems, warnings, fits),
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


def would_be_cured(report: CheckReport) -> bool:
    """Whether `fitguard run` by itself does all that has to be done."""
    plans = [fit.plan for fit in report.fits if fit.plan is not None and fit.plan.fits is False]
    errors = any(one.severity == "error" for one in all_findings(report.doctor, report.fits))
    return not errors and not report.failure and all(plan.micro_batch_size for plan in plans)


def _join_alike(problems: Sequence[Problem]) -> list[Problem]:
    """The same problem of several fits is one."""
    joined: dict[str, Problem] = {}
    for problem in problems:
        if (known := joined.get(problem.title)) is not None:
            numbers = [number for step in problem.steps for number in step.fits]
            steps = (
                msgspec.structs.replace(
                    step, fits=tuple(sorted({*step.fits, *numbers})) if step.fits else ()
                )
                for step in known.steps
            )
            problem = Problem(problem.title, tuple(steps))
        joined[problem.title] = problem
    return list(joined.values())


def _of_machine(doctor: DoctorReport | None) -> Iterator[Problem]:
    for finding in doctor.findings if doctor is not None else ():
        if finding.severity == "error":
            yield Problem(finding.title, (_fixing(finding),))


def _of_script(failure: str) -> Iterator[Problem]:
    if failure:
        first, _, rest = failure.partition("\n")
        text = rest.strip() or "Run the script itself to see the whole error."
        yield Problem(first, (NextStep(title=first, text=text),))


def _of_fits(fits: Sequence[CheckedFit], command: str) -> Iterator[Problem]:
    for fit in fits:
        for finding in fit.data.findings if fit.data is not None else ():
            if finding.severity == "error":
                yield Problem(finding.title, (_fixing(finding, fit.number),))
        if fit.plan is not None and fit.plan.fits is False:
            yield Problem(_shortage(fit.plan), tuple(_making_room(fit, fit.plan, command)))


def _fixing(finding: Finding, *fits: int) -> NextStep:
    return NextStep(
        title=f"{finding.code} {finding.title}",
        text=finding.fix.text,
        commands=finding.fix.commands,
        fits=fits,
        changes_results=finding.fix.changes_results,
    )


def _shortage(plan: Plan) -> str:
    assert plan.card is not None
    gpu = plan.card.name or "the GPU"
    needed = size(plan.required_bytes.likely)
    return (
        f"The batch of {plan.batch_size} does not fit: it needs {needed}, and {gpu} has "
        f"{size(plan.card.usable_bytes)} for it"
    )


def _making_room(fit: CheckedFit, plan: Plan, command: str) -> Iterator[NextStep]:
    title = _shortage(plan)
    if plan.micro_batch_size and command:
        yield NextStep(
            title=title,
            text=(
                f"Train with fitguard run: it splits each batch into micro-batches of "
                f"{plan.micro_batch_size}, and the optimizer sees the same batch of "
                f"{plan.batch_size}."
            ),
            commands=(f"fitguard run {command}",),
            fits=(fit.number,),
        )
    for advice in [one for one in plan.advice if one.enough and one.slug != "micro-batch"][:2]:
        yield NextStep(
            title=title,
            text=f"{advice.title}. {advice.text}",
            code=advice.code,
            fits=(fit.number,),
            changes_results=advice.changes_results,
        )


def _keep_alive(command: str) -> NextStep:
    return NextStep(
        title="Start it",
        text="fitguard run trains, and starts again where the training left off if it dies.",
        commands=(f"fitguard run {command}",),
    )


def _headline(problems: Sequence[Problem], warnings: int, fits: Sequence[CheckedFit]) -> str:
    if problems:
        more = f", and {len(problems) - 1} more problems" if len(problems) > 2 else ""
        more = ", and one more problem" if len(problems) == 2 else more
        return f"Training would fail: {_begin_small(problems[0].title)}{more}"
    if not fits:
        return "Nothing was found in the machine, but no call of fit was looked at"
    told = NOTHING_FOUND
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
