"""Markdown for an issue."""

import re

import markdown
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from report.made_probes import SICK_PROBES
from report.samples import (
    BROKEN,
    DOCUMENTS,
    FOUND,
    HEALTHY,
    NOT_FOUND,
    ONE_CHECK_BROKE,
    SAME_FIX,
    hostile,
)

from fitguard.report.formats.markdown import to_markdown
from fitguard.report.formats.markdown_words import escape, fence, mark_code, mark_words

GITHUB = MarkdownIt("commonmark").enable("table").enable("strikethrough")


def tags(text: str) -> list[str]:
    """The elements that a page would be made of, in order, but for words in code."""
    found = re.findall(r"<(/?[a-z][a-z0-9]*)", GITHUB.render(text))
    return [tag for tag in found if tag.strip("/") != "code"]


def test_summary_findings_and_facts() -> None:
    text = to_markdown(BROKEN)
    assert text.startswith("## fitguard doctor: 1 error, 1 warning, 1 note\n")
    assert "| GPU | NVIDIA H200 · compute capability 9.0" in text
    assert "### warning FG305: Other processes hold 138.1 of 140.4 GiB of GPU 0 *(medium" in text
    assert "```text\nprocess 4711 (python) holds 138.0 GiB\n    -- NVML\n```" in text
    assert "```sh\nunset TF_CPP_MIN_LOG_LEVEL\nenv | grep TF_\n```" in text
    assert "<details><summary>Facts</summary>\n\n#### Python" in text
    assert "| FG306 | gpu-unhealthy | the kernel log cannot be read |" in text


def test_a_healthy_report_has_no_findings() -> None:
    text = to_markdown(HEALTHY)
    assert "## fitguard doctor: No problem found" in text
    assert "###" not in text.split("<details>")[0]


def test_a_check_that_broke_is_not_folded_away() -> None:
    seen, folded = to_markdown(ONE_CHECK_BROKE).split("<details>", 1)
    assert "3 checks passed, 1 not applicable." in seen
    assert "- fitguard could not run the check FG305 gpu-busy: KeyError: 'used\\_'" in seen
    assert "FG305" not in folded


def test_a_fix_is_told_once() -> None:
    text = to_markdown(SAME_FIX)
    assert text.count("Install cuDNN 9.3") == text.count("-m pip install") == 1
    assert text.index("-m pip install") < text.index("**Fix:** the same as for FG204.")


def test_resolutions() -> None:
    assert "## fitguard resolve: TensorFlow 2.15.1" in to_markdown(FOUND)
    assert "| Package | tensorflow\\[and-cuda\\] |" in to_markdown(FOUND)
    assert "- Python 3.10 instead of 3.12 → **TensorFlow 2.10.1**" in to_markdown(NOT_FOUND)


def test_a_fence_is_longer_than_any_inside() -> None:
    assert fence("a ```` b", "text") == "`````text\na ```` b\n`````"


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>", "a | b", "*x* _y_ **z** __w__", "`code`", "[a](http://b.c)",
        "![a](b)", "~~gone~~", "# head", "- list", "+ list", "1. list", "1) list", "> quote", "---",
        "===", "&amp; &lt;", r"\* \|", "$x$", "a\n\n# b", "    code", "LD_LIBRARY_PATH", "x_y_z",
    ],
)  # fmt: skip
def test_escaped_text_is_one_plain_paragraph(text: str) -> None:
    rendered = GITHUB.render(escape(text))
    assert rendered.count("<") == 2
    inner = rendered.removeprefix("<p>").removesuffix("</p>\n")
    shown = inner.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    assert shown == " ".join(text.split())


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("use `run_eagerly=True` or *not*", r"use `run_eagerly=True` or \*not\*"),
        ("`a` - `b_c`", "`a` - `b_c`"),
        ("- `a`", r"\- `a`"),
        ("`a | b` `<b>` `` `a``b`", r"\`a \| b\` \`&lt;b&gt;\` \`\` \`a\`\`b\`"),
    ],
)
def test_backticks_mark_code(text: str, shown: str) -> None:
    assert mark_code(text) == mark_words(text) == shown


def test_the_fix_of_a_probe_has_code_in_it() -> None:
    assert "**fix:** Have the card replaced, or set `run_eagerly=True`." in to_markdown(SICK_PROBES)


def test_variables_stay_readable() -> None:
    assert escape("LD_LIBRARY_PATH") == "LD_LIBRARY_PATH"


def test_nobody_is_called() -> None:
    assert "@octocat" not in escape("ping @octocat")


@pytest.mark.parametrize("name", DOCUMENTS)
def test_python_markdown_reads_it_too(name: str) -> None:
    page = markdown.markdown(to_markdown(DOCUMENTS[name]), extensions=["tables", "fenced_code"])
    assert "<h2>fitguard" in page
    assert "<script" not in page


@given(st.text(alphabet=st.sampled_from("<>|`*_[]()#!\\&~-\n a1.=$@:/\"'"), max_size=40))
@settings(max_examples=150, deadline=None)
def test_hostile_strings_do_not_change_the_page(text: str) -> None:
    # A harmless string with the same line breaks makes the same elements.
    harmless = re.sub(r"[^\n]", "x", text)
    assert tags(to_markdown(hostile(f"x{text}x"))) == tags(to_markdown(hostile(f"x{harmless}x")))
