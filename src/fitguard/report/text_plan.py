"""A plan on a console: the verdict, the numbers, the bar, the layers, what would help."""

from fitguard.report.plan_rows import (
    advice_title,
    batch_rows,
    layer_table,
    memory_rows,
    most_of,
    remarks,
    step_rows,
)
from fitguard.report.plan_words import THREE_NUMBERS, planned, tone, verdict
from fitguard.report.text_bar import print_bar
from fitguard.report.text_page import Page
from fitguard.report.text_table import print_table
from fitguard.report.words import count, one_line
from fitguard.schema.plan import Advice, Plan

INDENT = "  "
MOST_LAYERS = 8
"""More layers than these would push the advice off the screen."""

MARKS = {
    "fine": ("✔ ", "bold green"),
    "error": ("✖ ", "bold red"),
    "warning": ("▲ ", "bold yellow"),
    "info": ("● ", "bold blue"),
}
STYLES = {"fine": "green", "warning": "yellow", "": ""}


def print_plan(plan: Plan, page: Page, *, verbose: bool) -> None:
    """The whole plan; if `verbose`, all layers and the reasons for the ranges."""
    page.put(MARKS[tone(plan)], (verdict(plan), "bold"), rest=INDENT)
    page.blank()
    for name, value in step_rows(plan):
        page.row(name, one_line(value), columns=8)
    page.blank()
    _print_memory(plan, page)
    page.blank()
    print_bar(plan, page)
    _print_layers(plan, page, verbose=verbose)
    _print_batches(plan, page)
    _print_advice(plan, page)
    _print_doubts(plan, page, verbose=verbose)
    if plan.seconds:
        page.blank()
        page.put((planned(plan), "dim"))


def _print_memory(plan: Plan, page: Page) -> None:
    rows = memory_rows(plan)
    widest = max(len(likely) for _, likely, _, _ in rows)
    for name, likely, ends, _ in rows:
        page.put((f"{likely:>{widest}}", "bold"), f"  {ends}", first=f"{name:<13}")
    page.put((THREE_NUMBERS, "dim"))


def _print_layers(plan: Plan, page: Page, *, verbose: bool) -> None:
    if not plan.layers:
        return
    shown = plan.layers if verbose else plan.layers[:MOST_LAYERS]
    page.blank()
    print_table(layer_table(plan, shown), page)
    if left_out := len(plan.layers) - len(shown):
        told = f"… {count(left_out, 'more layer')} (--verbose lists them)"
        page.put((told, "dim"), first=INDENT)


def _print_batches(plan: Plan, page: Page) -> None:
    rows = batch_rows(plan)
    if rows:
        page.blank()
    for name, value in rows:
        page.row(name, value, max(len(name) for name, _ in rows))


def _print_advice(plan: Plan, page: Page) -> None:
    if not plan.advice:
        return
    page.blank()
    page.heading(advice_title(plan))
    for number, advice in enumerate(plan.advice, start=1):
        _print_one_advice(number, advice, page)


def _print_one_advice(number: int, advice: Advice, page: Page) -> None:
    first = f"{number:>2}. "
    page.put((one_line(advice.title), "bold"), first=first)
    told: list[str | tuple[str, str]] = []
    for words, kind in remarks(advice):
        told += [" · "] if told else []
        told.append((words, STYLES[kind]))
    indent = " " * len(first)
    page.put(*told, first=indent)
    if advice.text:
        page.put(one_line(advice.text), first=indent)
    page.code(advice.code, indent + INDENT)


def _print_doubts(plan: Plan, page: Page, *, verbose: bool) -> None:
    if plan.unknown:
        page.blank()
        page.heading("What is not known")
    for unknown in plan.unknown:
        page.put(
            (one_line(unknown.part), "yellow"),
            f" ({most_of(unknown)}): {one_line(unknown.text)}",
            first=f"{INDENT}• ",
        )
    if not plan.reasons:
        return
    page.blank()
    if not verbose:
        told = f"{count(len(plan.reasons), 'reason')} for the ranges (--verbose lists them)"
        page.put((told, "dim"))
        return
    page.heading("Why the ranges are as wide as they are")
    for reason in plan.reasons:
        page.put(one_line(reason), first=f"{INDENT}• ")
