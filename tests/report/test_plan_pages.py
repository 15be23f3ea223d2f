"""A plan in Markdown and HTML, and in a notebook; SARIF has no form for it."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report.made_plans import FITS, NO_CARD, TOO_LARGE, UNSURE, hostile_plan
from report.test_html import Outline
from report.test_markdown import tags

from fitguard.report.formats.html import to_html
from fitguard.report.formats.markdown import to_markdown
from fitguard.report.privacy.redaction import redact
from fitguard.report.render import render
from fitguard.schema.exit_codes import UsageError


def test_markdown_tells_numbers_filling_and_advice_and_folds_the_rest() -> None:
    seen, folded = to_markdown(TOO_LARGE).split("<details>", 1)
    assert seen.startswith("## fitguard plan: Does not fit: a batch of 128 needs 11.1 GiB (10.5 ")
    assert "| comfortable | what it takes if there is room | 14.3 GiB | 11.7 to 18.5 GiB |" in seen
    assert "| activations | 9.6 GiB | 81 % |\n" in seen
    assert "3.9 GiB are missing.\n" in seen
    assert "#### 2\\. Compile with XLA\n\nsaves 2.6 GiB, then needs 8.5 GiB · **not eno" in seen
    assert '```python\nkeras.config.set_dtype_policy("mixed_float16")\n```' in seen
    assert "| conv1_bn | BatchNormalization | 900.0 MiB | 7.9 % | 6.6 MiB |" in seen
    assert "- The executor may run branches in another order: up to 3 % more." in folded


def test_markdown_tells_what_is_not_known() -> None:
    text = to_markdown(UNSURE)
    assert "- **the custom train_step** (no upper limit): It reads a file." in text
    assert "What to do" not in text
    assert "need the most memory" not in text


@given(st.text(alphabet=st.sampled_from("<>|`*_[]()#!\\&~-\n a1.=$@:/\"'"), max_size=40))
@settings(max_examples=100, deadline=None)
def test_hostile_strings_do_not_change_the_markdown_page(text: str) -> None:
    harmless = re.sub(r"[^\n]", "x", text)
    hostile, plain = (to_markdown(hostile_plan(f"x{part}x")) for part in (text, harmless))
    assert tags(hostile) == tags(plain)


def test_html_has_bar_curve_advice_and_layers() -> None:
    text = to_html(TOO_LARGE)
    assert '<p class="verdict error"><span class="tone">Does not fit: a batch of 128' in text
    assert "<title>activations: 9.6 GiB, 81 %</title>" in text
    assert "The card ends at the red line: 3.9 GiB are missing." in text
    assert re.findall(r'<section class="card finding (\w+)">', text) == ["fine", "info", "fine"]
    assert "<code>keras.optimizers.Adam(gradient_accumulation_steps=2)</code>" in text
    assert text.count('class="column"') == len(TOO_LARGE.curve.moments)
    assert '<td data-label="layer" class="whole">predictions</td>' in text


def test_the_curve_is_told_to_those_who_do_not_see_it() -> None:
    text = to_html(TOO_LARGE)
    curve = text.split('<svg class="curve" role="img"')[1].split("</svg>")[0]
    assert "<title>Memory over the step</title>" in curve
    assert "The peak of 11.1 GiB is in the backward phase, at conv1_conv" in curve
    moments = text.split("<summary>The same as a table</summary>")[1].split("</table>")[0]
    assert moments.count("<tr>") == len(TOO_LARGE.curve.moments) + 1


def test_without_a_curve_or_card_nothing_stands_in_their_place() -> None:
    assert "Memory over the step" not in to_html(UNSURE)
    assert "The card" not in to_html(NO_CARD)
    assert '<p class="verdict info">' in to_html(NO_CARD)
    assert "Memory of the step, on each GPU" in to_html(UNSURE)


@given(st.text(alphabet=st.sampled_from("<>&\"'{}%/= \n;#ascript"), max_size=40))
@settings(max_examples=50, deadline=None)
def test_hostile_strings_add_no_element(text: str) -> None:
    plain = Outline(to_html(hostile_plan("x")))
    outline = Outline(
        to_html(hostile_plan(f"x<script>{text}</script></svg></style>--><b onclick=a>"))
    )
    assert outline.tags == plain.tags
    assert "onclick" not in {name for name, _ in outline.attributes}


def test_a_notebook_shows_the_page() -> None:
    html = FITS._repr_html_()
    assert html.startswith("<style>")
    assert "Fits: a batch of 64 needs 5.9 GiB" in html


def test_sarif_is_for_findings() -> None:
    with pytest.raises(UsageError, match=r"Received --format sarif for fitguard/plan/1. SARIF hol"):
        render(FITS, "sarif")


@pytest.mark.parametrize("format", ["text", "json", "markdown", "html"])
def test_private_names_go_out_of_names_and_code(format: str) -> None:
    private = hostile_plan("load('/home/ann/models/a.keras') on dgx07")
    shown = render(redact(private, home="/home/ann", user="ann", host="dgx07"), format)
    assert "dgx07" not in shown
    assert "/home/ann" not in shown
    assert "~/models/a.keras" in shown
