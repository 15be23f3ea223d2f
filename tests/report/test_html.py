"""HTML: a page that needs nothing else, and a fragment for notebooks."""

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
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

from fitguard.report.formats.html import fragment, to_html

VOID = {"meta", "br"}


class Outline(HTMLParser):
    """The elements in order, the text, and whether every element is closed in its place."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.words: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_pages_are_well_formed_and_load_nothing(name: str) -> None:
    outline = Outline(to_html(DOCUMENTS[name]))
    assert outline.open == []
    assert outline.tags[0] == "html"
    assert not {"script", "link", "img", "iframe"} & set(outline.tags)
    assert not {"src", "onclick", "style"} & {name for name, _ in outline.attributes}
    links = [value for name, value in outline.attributes if name == "href"]
    assert all(link and ":" not in link and not link.startswith("//") for link in links)
    assert outline.tags.count("h1") == 1


def test_findings_are_cards_gravest_first() -> None:
    text = to_html(BROKEN)
    assert re.findall(r'<article class="card finding (\w+)">', text) == ["error", "warning", "info"]
    assert "<code>FG204</code>" in text
    assert "medium confidence" in text
    assert "<code>unset TF_CPP_MIN_LOG_LEVEL\nenv | grep TF_</code></pre>" in text
    assert "nvidia-cudnn-cu12&gt;=9.3,&lt;10" in text
    assert "<summary><h3>Facts</h3></summary>" in text


def test_a_healthy_page_has_no_cards() -> None:
    text = to_html(HEALTHY)
    assert "No problem found" in text
    assert "<article" not in text


def test_a_check_that_broke_is_not_folded_away() -> None:
    seen, folded = to_html(ONE_CHECK_BROKE).split("<details", 1)
    assert "fitguard could not run the check FG305 gpu-busy: KeyError: &#39;used_&#39;" in seen
    assert "FG305" not in folded
    assert "could not run" not in to_html(HEALTHY)


def test_a_fix_is_told_once() -> None:
    text = to_html(SAME_FIX)
    assert text.count("Install cuDNN 9.3") == text.count("-m pip install") == 1
    assert text.index("-m pip install") < text.index("the same as for <code>FG204</code>.")


def test_resolutions() -> None:
    assert "TensorFlow 2.15.1 works here." in to_html(FOUND)
    assert "Why not newer" in to_html(FOUND)
    assert "Python 3.10 instead of 3.12 → <strong>TensorFlow 2.10.1</strong>" in to_html(NOT_FOUND)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_fragment_leaves_the_notebook_alone(name: str) -> None:
    text = fragment(DOCUMENTS[name])
    outline = Outline(text)
    assert outline.open == []
    assert not {"html", "head", "body", "main"} & set(outline.tags)
    style = re.sub(r"@media[^{]*\{|\{[^{}]*\}", "", text.split("<style>")[1].split("</style>")[0])
    selectors = [line for line in re.split(r"[,\n}]", style) if line.strip()]
    assert selectors
    assert all(selector.strip().startswith(".fitguard") for selector in selectors)


@given(st.text(alphabet=st.sampled_from("<>&\"'{}%/= \n;#ascript"), max_size=40))
@settings(max_examples=50, deadline=None)
def test_hostile_strings_add_no_element(text: str) -> None:
    plain = Outline(to_html(hostile("x")))
    outline = Outline(to_html(hostile(f"x<script>{text}</script></pre></style>--><b onclick=a>")))
    assert outline.tags == plain.tags
    assert "onclick" not in {name for name, _ in outline.attributes}


def luminance(colour: str) -> float:
    """The relative luminance of #rrggbb as WCAG defines it."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_every_colour_of_words_has_enough_contrast() -> None:
    schemes = re.findall(r"--ink: #\w{6}.*?--fine: #\w{6}", fragment(HEALTHY), re.DOTALL)
    assert len(schemes) == 2  # light and dark; print uses black on white
    for scheme in schemes:
        colour = dict(re.findall(r"--(\w+): (#\w{6})", scheme))
        for words in ("ink", "faint", "error", "warning", "info", "fine"):
            for ground in ("paper", "card", "code"):
                pair = sorted((luminance(colour[words]), luminance(colour[ground])))
                assert (pair[1] + 0.05) / (pair[0] + 0.05) >= 4.5, (words, ground)
