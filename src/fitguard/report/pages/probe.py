"""The page of probes: a verdict, what failed with its cause, the rates, then all results."""

from collections.abc import Iterator

from fitguard.report.blocks import (
    Block,
    Code,
    Folded,
    Items,
    Page,
    Pairs,
    Paragraph,
    Quotation,
    Section,
    Span,
    Table,
    Tone,
    Verdict,
    Words,
    present,
)
from fitguard.report.rows.tables import drop_empty_columns
from fitguard.schema.probe import ProbeReport, ProbeResult, Rate, Status
from fitguard.words import count, duration

_TONES: dict[Status, Tone] = {
    "pass": "fine",
    "fail": "error",
    "crash": "error",
    "timeout": "error",
    "skip": "",
}


def build_page(report: ProbeReport) -> Page:
    """What failed first."""
    return Page(
        "fitguard probe",
        present(
            Pairs(tuple(_list_headline(report))),
            *(build_failure(result) for result in report.failures),
            Section("Rates", present(_build_rates(report), Items(tuple(_list_reasons(report))))),
            *_build_results(report),
            Section("Notes", present(Items(report.notes))),
            *_build_reproductions(report),
        ),
        _build_verdict(report),
    )


def _list_headline(report: ProbeReport) -> Iterator[tuple[str, Words]]:
    for device in report.devices:
        yield device.label, device.name or "the processor"
    if report.tensorflow:
        yield "TensorFlow", report.tensorflow
    yield "Python", report.python
    if report.like:
        yield "like", report.like


def _build_verdict(report: ProbeReport) -> Verdict:
    passed = sum(result.status == "pass" for result in report.results)
    aside = f"{count(passed, 'probe')} passed in {duration(report.seconds)}"
    if report.failures:
        names = ", ".join(dict.fromkeys(result.name for result in report.failures))
        return Verdict(f"{count(len(report.failures), 'probe')} failed: {names}", "error", aside)
    if not passed:
        why = next((result.detail for result in report.results if result.detail), "")
        return Verdict("Nothing could be tried", "error", next=why)
    kinds = "the GPU computes" if report.devices[0].label != "CPU" else "the CPU computes"
    if report.unreached:
        missing = count(len(report.unreached), "probe")
        return Verdict(f"Not all was tried: there was no time for {missing}", "warning", aside)
    slow = [rate for result in report.results for rate in result.rates if rate.verdict == "slow"]
    if slow:
        return Verdict(f"Right, but slow: {kinds} what it should", "warning", aside)
    return Verdict(f"Fine: {kinds} what it should", "fine", aside)


def build_failure(result: ProbeResult, *before: Block) -> Block:
    """What failed, with its cause; after the blocks `before`."""
    found = result.diagnosis.causes[:1] if result.diagnosis else ()
    cause: tuple[Block, ...] = ()
    for one in found:
        cause = present(
            Paragraph((Span(one.cause, "strong"), f" ({one.confidence} confidence): {one.why}")),
            Paragraph(one.fix.text, label="fix"),
            Code(one.fix.commands),
        )
    return Section(
        (Span(result.status, "strong", "error"), f" {result.name} on {result.device}"),
        present(
            *before,
            Paragraph(result.detail),
            *cause,
            Folded("Log", (Quotation("\n".join(result.log), "its process", is_end=True),))
            if result.log
            else None,
        ),
        tone="error",
    )


def _build_rates(report: ProbeReport) -> Block:
    rows = [
        (rate.name, result.device, _say(rate.value, rate), _say(rate.expected, rate), _share(rate))
        for result in report.results
        for rate in result.rates
    ]
    return drop_empty_columns(
        Table(("rate", "device", "measured", "data sheet", "of it"), tuple(rows))
    )


def _say(value: float | None, rate: Rate) -> str:
    return "" if value is None else f"{value:{',.0f' if value >= 100 else '.3g'}} {rate.unit}"


def _share(rate: Rate) -> Words:
    if rate.ratio is None:
        return ""
    return Span(f"{100 * rate.ratio:.0f} %", tone="warning" if rate.verdict == "slow" else "")


def _list_reasons(report: ProbeReport) -> Iterator[Words]:
    for result in report.results:
        for rate in result.rates:
            if rate.verdict == "slow":
                why = " ".join(rate.reasons) or "NVML names no reason for it."
                yield f"{rate.name} on {result.device} is slow. {why}"
            elif rate.reasons:
                yield f"{rate.name} on {result.device} is not judged. {' '.join(rate.reasons)}"


def _build_results(report: ProbeReport) -> Iterator[Block]:
    """Device by device."""
    for device in dict.fromkeys(result.device for result in report.results):
        rows = [
            (result.name, _describe(result)) for result in report.results if result.device == device
        ]
        yield Section(f"What was tried on {device}", (Pairs(tuple(rows)),))


def _describe(result: ProbeResult) -> Words:
    seconds = f" in {result.seconds:.1f} s" if result.status != "skip" else ""
    return Span(result.status, tone=_TONES[result.status]), f"{seconds}: {result.detail}"


def _build_reproductions(report: ProbeReport) -> Iterator[Block]:
    for one in report.reproductions:
        yield Section(
            f"A script that shows it: {one.probe}",
            present(Code(tuple(one.script.splitlines()), "python"), Items(one.facts)),
        )
