"""The report on data in Markdown, HTML and SARIF."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st
from report.data_reports import (
    BAD_LABELS,
    HEALTHY_DATA,
    MANY_COLUMNS,
    PIPELINE_FINDINGS,
    hostile_data,
)
from report.test_html import Outline
from report.test_markdown import tags
from report.test_sarif import sarif

from fitguard.report.formats.html import to_html
from fitguard.report.formats.markdown import to_markdown


def test_markdown_tells_model_fields_findings_and_folds_the_rest() -> None:
    seen, folded = to_markdown(PIPELINE_FINDINGS).split("<details>", 1)
    assert seen.startswith("## fitguard data: 2 errors, 1 warning, 1 note\n")
    assert "| Outputs | is_cat (1,) linear, loss binary_crossentropy from logits |" in seen
    assert "| sample_weight | float32 | 0.25 … 1.5 | 4 nan |" in seen
    assert "| read | **nothing; it failed at batch 0: NotFoundError" in seen
    assert "### warning FG640: shuffle stands behind batch" in seen
    assert "could not run the check FG612" in seen
    assert "| 6 | shuffle | 5 | buffer 1,000 · another order each epoch |  |  |" in folded
    assert "| 1 | 3,686 | 96.0 % |" in folded


def test_markdown_of_healthy_data_is_short() -> None:
    seen = to_markdown(HEALTHY_DATA).split("<details>")[0]
    assert "## fitguard data: No problem found in the data" in seen
    assert "| y → digit | numpy.ndarray | 60,000 × uint8 | 0 … 9 | 10 diff" in seen
    assert seen.count("###") == 1  # the training data


@given(st.text(alphabet=st.sampled_from("<>|`*_[]()#!\\&~-\n a1.=$@:/\"'"), max_size=40))
@settings(max_examples=100, deadline=None)
def test_hostile_strings_do_not_change_the_markdown_page(text: str) -> None:
    harmless = re.sub(r"[^\n]", "x", text)
    hostile, plain = (to_markdown(hostile_data(f"x{part}x")) for part in (text, harmless))
    assert tags(hostile) == tags(plain)


def test_html_has_cards_fields_stages_and_bars() -> None:
    text = to_html(PIPELINE_FINDINGS)
    cards = re.findall(r'<article class="card finding (\w+)">', text)
    assert cards == ["error", "error", "warning", "info"]
    assert '<p class="verdict error"><span class="tone">2 errors, 1 warning, 1 note' in text
    assert '<td data-label="field" class="whole">y → is_cat</td>' in text
    assert '<td data-label="settings">/home/ann/cats/train.cache</td>' in text
    assert re.findall(r'<rect width="([\d.]+)%"', text) == ["4.2", "100.0"]
    assert "could not run the check FG612" in text.split("<details")[0]


def test_html_has_no_table_for_what_is_not_there() -> None:
    text = to_html(BAD_LABELS)
    assert "Pipeline of" not in text
    assert "<svg" not in text
    assert "pass the <code>x</code> of this report" in text


def test_all_inputs_are_on_the_page() -> None:
    assert "score (1,) float32" in to_html(MANY_COLUMNS)


def test_rare_labels_are_not_nothing() -> None:
    assert "&lt; 0.1 %" in to_html(MANY_COLUMNS)


@given(st.text(alphabet=st.sampled_from("<>&\"'{}%/= \n;#ascript"), max_size=40))
@settings(max_examples=50, deadline=None)
def test_hostile_strings_add_no_element(text: str) -> None:
    plain = Outline(to_html(hostile_data("x")))
    outline = Outline(
        to_html(hostile_data(f"x<script>{text}</script></pre></style>--><b onclick=a>"))
    )
    assert outline.tags == plain.tags
    assert "onclick" not in {name for name, _ in outline.attributes}


def test_sarif_has_one_result_for_each_finding() -> None:
    run = sarif(PIPELINE_FINDINGS)
    assert [(r["ruleId"], r["level"]) for r in run["results"]] == [
        ("FG641", "error"), ("FG610", "error"), ("FG640", "warning"), ("FG633", "note"),
    ]  # fmt: skip
    assert run["results"][1]["locations"][0]["logicalLocations"][0]["name"] == "sample_weight"
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is False
    assert sarif(HEALTHY_DATA)["results"] == []


@given(st.text(max_size=40))
@settings(max_examples=30, deadline=None)
def test_hostile_strings_stay_valid_sarif(text: str) -> None:
    sarif(hostile_data(text))
