"""A diagnosis on a console: the cause, what proves it, what to do, on one screen."""

from fitguard.report.diagnosis_parts import (
    CHANGES_RESULTS,
    UNDECIDED,
    harmless_lines,
    lines_read,
    others,
    others_title,
    primary,
    questions_title,
    sureness,
    told,
    tone,
)
from fitguard.report.text_page import Page
from fitguard.report.text_quotation import print_evidence, print_fix
from fitguard.report.words import count, one_line
from fitguard.schema.diagnosis import Diagnosis, FoundCause, Noise

SYMBOLS = {
    "error": ("✖ ", "bold red"),
    "warning": ("▲ ", "bold yellow"),
    "fine": ("✔ ", "bold green"),
}
MOST_EVIDENCE = 4
MOST_NOISE = 4
"""More kinds of harmless lines than these are merely counted."""


def print_diagnosis(diagnosis: Diagnosis, page: Page, *, verbose: bool) -> None:
    """The primary cause in full, the others in short; if `verbose`, all in full."""
    found = primary(diagnosis)
    if found is None:
        page.put(SYMBOLS["warning"], (f"{UNDECIDED}.", "bold"))
    else:
        _print_cause(found, page, SYMBOLS[tone(diagnosis)], verbose=verbose)
    _print_questions(diagnosis, page)
    _print_others(diagnosis, page, verbose=verbose)
    _print_noise(diagnosis, page, verbose=verbose)
    if diagnosis.notes:
        page.blank()
    for note in diagnosis.notes:
        page.put(("note: ", "yellow"), one_line(note), rest="      ")
    if diagnosis.lines:
        page.blank()
        page.put((lines_read(diagnosis), "dim"))


def _print_cause(found: FoundCause, page: Page, symbol: tuple[str, str], *, verbose: bool) -> None:
    page.put(
        symbol,
        (one_line(told(found)), "bold"),
        (f" ({sureness(found)})", "italic"),
        rest="  ",
    )
    shown = found.evidence if verbose else found.evidence[:MOST_EVIDENCE]
    for evidence in shown:
        print_evidence(evidence, page, verbose=verbose)
    if left_out := len(found.evidence) - len(shown):
        page.put(
            (f"… {count(left_out, 'quotation')} more (--verbose shows all)", "dim"), first="    "
        )
    if found.why:
        page.put(("why: ", "green"), found.why, first="    ", rest="         ")
    print_fix(found.fix, page)
    if found.fix.changes_results:
        page.put((CHANGES_RESULTS, "dim"), first="         ")
    page.put(("more: ", "green"), f"fitguard explain {found.cause}", first="    ")


def _print_questions(diagnosis: Diagnosis, page: Page) -> None:
    if diagnosis.questions:
        page.put(f"{questions_title(diagnosis)}:", first="  ")
    for number, question in enumerate(diagnosis.questions, 1):
        page.put((one_line(question.fact), "bold"), first=f"  {number}. ")
        page.put(question.how, first="     ")


def _print_others(diagnosis: Diagnosis, page: Page, *, verbose: bool) -> None:
    found = others(diagnosis)
    if not found:
        return
    page.blank()
    page.heading(others_title(diagnosis))
    for other in found:
        if verbose:
            _print_cause(other, page, ("• ", "bold"), verbose=True)
            continue
        page.put(
            (f"• {other.cause}", "bold"),
            (f" ({sureness(other)}): ", "italic"),
            one_line(other.why or other.summary),
            first="  ",
            rest="    ",
        )
    if not verbose:
        page.put(("--verbose shows their evidence and their fixes", "dim"), first="  ")


def _print_noise(diagnosis: Diagnosis, page: Page, *, verbose: bool) -> None:
    if not diagnosis.noise:
        return
    page.blank()
    total = f"Harmless: {harmless_lines(diagnosis)}"
    if len(diagnosis.noise) > MOST_NOISE and not verbose:
        kinds = ", ".join(f"{noise.name} ×{noise.count}" for noise in diagnosis.noise)
        page.put(
            (total, "bold"), f", {kinds}", (" (--verbose tells what they mean)", "dim"), rest="  "
        )
        return
    page.heading(total)
    for noise in diagnosis.noise:
        _print_harmless(noise, page, verbose=verbose)


def _print_harmless(noise: Noise, page: Page, *, verbose: bool) -> None:
    page.put(
        (f"{noise.name} ×{noise.count}: ", "bold"), one_line(noise.meaning), first="  ", rest="    "
    )
    if verbose:
        print_evidence(noise.evidence, page, verbose=False)
