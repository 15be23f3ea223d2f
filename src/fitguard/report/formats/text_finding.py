"""Findings on a console: what is wrong, what proves it, what to do."""

from fitguard.report.blocks import Finding, Quotation, Span, Tone
from fitguard.report.formats.console import Paper
from fitguard.report.rows.quotations import group_evidence
from fitguard.words import count, one_line

MARKS: dict[Tone, Span] = {
    "error": Span("✖ ", "strong", "error"),
    "warning": Span("▲ ", "strong", "warning"),
    "info": Span("● ", "strong", "info"),
    "fine": Span("✔ ", "strong", "fine"),
}
CHANGES_RESULTS = "This fix changes the results of training."
MOST_LINES = 8
"""More of one quotation would push the fix off the screen."""
MOST_QUOTATIONS = 4


def put_finding(finding: Finding, paper: Paper, indent: str) -> None:
    """Print a finding; of a folded one, in short why it is possible."""
    if finding.folded and not paper.verbose:
        _put_brief(finding, paper, indent)
        return
    if not finding.said:
        _put_title(finding, paper, indent)
    inner = f"{indent}    "
    _put_evidence(finding, paper, inner)
    for label, text in _sentences(finding):
        paper.put((Span(f"{label}: ", tone="fine"), text), inner, f"{inner}     ")
    if not finding.earlier:
        paper.put_commands(finding.fix.commands, f"{inner}  ")
    if finding.fix.changes_results:
        paper.put(Span(CHANGES_RESULTS, "faint"), f"{inner}     ")
    if finding.more:
        paper.put((Span("more: ", tone="fine"), finding.more), inner)


def _put_brief(finding: Finding, paper: Paper, indent: str) -> None:
    reason = one_line(finding.why or finding.title)
    remark = Span(_join_remarks(finding), "italic")
    words = (Span(f"• {finding.code}", "strong"), remark, f": {reason}")
    paper.put(words, indent, f"{indent}  ")


def _put_title(finding: Finding, paper: Paper, indent: str) -> None:
    """`✖ FG204 cuDNN is too old (medium confidence)`."""
    mark = MARKS[finding.tone]
    between = ": " if finding.is_cause else " "
    title = Span(f"{between}{one_line(finding.title)}" if finding.title else "", "strong")
    remark = Span(_join_remarks(finding), "italic")
    code = Span(finding.code, "strong", mark.tone)
    paper.put((mark, code, title, remark), indent, f"{indent}  ")


def _join_remarks(finding: Finding) -> str:
    return "".join(f" ({remark})" for remark in finding.remarks)


def _put_evidence(finding: Finding, paper: Paper, indent: str) -> None:
    quotations = group_evidence(finding.evidence)
    shown = quotations if paper.verbose else quotations[:MOST_QUOTATIONS]
    for quotation in shown:
        put_quotation(quotation, paper, indent)
    if left_out := len(quotations) - len(shown):
        said = f"… {count(left_out, 'more quotation')} (--verbose shows them)"
        paper.put(Span(said, "faint"), indent)


def put_quotation(quotation: Quotation, paper: Paper, indent: str) -> None:
    """Print what was seen, with where it was found behind it, or below it where it is long."""
    bar = f"{indent}│ "
    quoted = quotation.text.rstrip("\n").split("\n")
    lines = quoted[-MOST_LINES:] if quotation.is_end else quoted[:MOST_LINES]
    shown = quoted if paper.verbose else lines
    text = "\n".join(shown)
    if left_out := len(quoted) - len(shown):
        before = f"… {count(left_out, 'line')} before\n{text}"
        more = f"{text}\n… {count(left_out, 'more line')} (--verbose shows them)"
        text = before if quotation.is_end else more
    said = Span(text, "faint")
    source = Span(one_line(quotation.source), "italic")
    if not source.text:
        paper.put(said, bar, bar)
    elif len(f"{bar}{shown[-1]} — {source.text}") <= paper.width:
        paper.put((said, Span(f" — {source.text}", "italic")), bar, bar)
    else:
        paper.put(said, bar, bar)
        paper.put(source, f"{bar}  ", f"{bar}  ")


def _sentences(finding: Finding) -> list[tuple[str, str]]:
    """Why, and the fix; where an earlier finding gave the same one, its code is enough."""
    fix = f"the same as for {finding.earlier}" if finding.earlier else finding.fix.text
    return [(label, text) for label, text in (("why", finding.why), ("fix", fix)) if text]
