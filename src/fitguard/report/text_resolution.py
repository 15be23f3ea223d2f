"""The answer of `resolve` on a console."""

from fitguard.report.resolution_rows import given, versions, way
from fitguard.report.text_page import Page
from fitguard.report.words import one_line, span
from fitguard.schema.resolution import Resolution, VersionSet

INDENT = "  "


def print_resolution(resolution: Resolution, page: Page) -> None:
    """The set and how to install it, or the changes that would open one; then why not newer."""
    rows = given(resolution)
    for name, value in rows:
        page.row(name, one_line(value), columns=max(len(name) for name, _ in rows))
    if rows:
        page.blank()
    if resolution.chosen:
        _print_chosen(resolution.chosen, page)
    else:
        _print_openings(resolution, page)
    if resolution.rejected:
        page.blank()
        page.heading("Why not newer" if resolution.chosen else "Why none")
        for rejected in resolution.rejected:
            codes = f" [{', '.join(rejected.codes)}]" if rejected.codes else ""
            page.put((span(rejected.releases), "bold"), f"  {rejected.reason}", (codes, "dim"),
                     first=INDENT, rest=INDENT * 2)  # fmt: skip


def _print_chosen(chosen: VersionSet, page: Page) -> None:
    page.put(("✔ ", "bold green"), (f"TensorFlow {chosen.tensorflow} works here.", "bold"))
    page.blank()
    rows = versions(chosen)
    columns = max(len(name) for name, _ in rows)
    for name, value in rows:
        page.row(name, one_line(value), columns, INDENT)
    for note in chosen.notes:
        page.put(("note: ", "yellow"), note, first=INDENT, rest=INDENT * 2)
    for install in chosen.install:
        page.blank()
        page.put((way(install), "bold"))
        page.commands(install.commands, INDENT)
        if install.note:
            page.put((install.note, "dim"), first=INDENT)


def _print_openings(resolution: Resolution, page: Page) -> None:
    page.put(("✖ ", "bold red"), ("No release of TensorFlow works with this.", "bold"))
    page.blank()
    if not resolution.openings:
        page.put("No single change opens a way.")
        return
    page.heading("One of these changes opens a way")
    for opening in resolution.openings:
        page.put(opening.change, (f" → TensorFlow {opening.tensorflow}", "green"),
                 first=f"{INDENT}• ")  # fmt: skip
