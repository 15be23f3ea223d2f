"""The page of a notice: what happened to a run, in a few lines."""

from fitguard.report.blocks import Page, Pairs, Quotation, Tone, Verdict, present
from fitguard.report.rows.run_words import moment
from fitguard.schema.notice import NoticeEvent, RunNotice

_VERDICTS: dict[NoticeEvent, tuple[str, Tone]] = {
    "restart": ("Started again", "warning"),
    "gave-up": ("Given up", "error"),
    "finished": ("Finished", "fine"),
    "left": ("Left as asked", "info"),
    "alert": ("Alert", "warning"),
}


def build_page(notice: RunNotice) -> Page:
    """The sentence, and what it rests on."""
    known = (
        ("run", notice.run),
        ("time", moment(notice.time)),
        ("attempt", str(notice.attempt or "")),
        ("what", notice.text),
        ("cause", notice.cause),
        ("why", notice.why),
        ("finding", notice.code),
    )
    rows = tuple((name, value) for name, value in known if value)
    evidence = Quotation("\n".join(notice.evidence)) if notice.evidence else None
    verdict = Verdict(*_VERDICTS[notice.event])
    return Page("fitguard notice", present(Pairs(rows), evidence), verdict)
