"""The page of a check: the verdict first, what to do next, details folded."""

from report.samples import DOCUMENTS

from fitguard.report.formats.text import to_text
from fitguard.report.render import render


def test_a_training_that_would_fail():
    text = to_text(DOCUMENTS["fails"], columns=100)
    assert text.startswith("✖ Training would fail: ")
    order = ["What to do next", "1. ", "$ fitguard run train.py --epochs 3", "What was checked"]
    places = [text.index(part) for part in order]
    assert places == sorted(places)
    assert "In fit 2 (line 21)." in text
    assert "memory of fit 2 (line 21)" in text
    assert "One fit was not looked at." in text
    assert text.count("--verbose") == 1


def test_details_are_folded_on_the_page_and_told_by_a_verbose_console():
    page = render(DOCUMENTS["fails"], "html")
    for title in ("Machine", "Data of fit (line 14)", "Memory of fit 2 (line 21)"):
        assert f"<summary><h3>{title}</h3></summary>" in page
    short, whole = (
        render(DOCUMENTS["ready"], "text", verbose=verbose) for verbose in (False, True)
    )
    assert len(whole) > 3 * len(short)


def test_a_training_that_is_ready():
    text = to_text(DOCUMENTS["ready"], columns=100)
    assert text.startswith("✔ Ready to train")
    assert "$ fitguard run train.py --epochs 3" in text


def test_sarif_holds_the_findings_of_all_parts():
    sarif = render(DOCUMENTS["fails"], "sarif")
    assert "FG204" in sarif
    assert "FG620" in sarif
