"""The page of a moment: where the training is, what it holds, what was found, its last words."""

from fitguard.report.blocks import (
    Notice,
    Page,
    Pairs,
    Quotation,
    Section,
    Verdict,
    present,
)
from fitguard.report.pages.run import build_alerts, build_decisions
from fitguard.report.rows.watch_rows import choose_tone, memory_table, moment_rows, say_state
from fitguard.schema.watch import Watch


def build_page(moment: Watch) -> Page:
    """What is wrong comes before the output, which a small terminal cuts."""
    return Page(
        "fitguard watch",
        present(
            Pairs(tuple(moment_rows(moment))),
            memory_table(moment),
            build_alerts(moment.alerts),
            build_decisions(moment.decisions),
            *map(Notice, moment.missing),
            Section(
                "The end of the output",
                present(Quotation("\n".join(moment.output), is_end=True)),
            ),
        ),
        Verdict(say_state(moment), choose_tone(moment)),
    )
