"""The report on data on a terminal."""

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st
from report.data_reports import (
    BAD_LABELS,
    HEALTHY_DATA,
    MANY_COLUMNS,
    PIPELINE_FINDINGS,
    hostile_data,
)
from report.test_text import printed
from rich.cells import cell_len

from fitguard.report.formats.text import to_text


def flat(text: str) -> str:
    """The text without its line breaks."""
    return " ".join(text.split())


def test_a_healthy_report_is_short_and_says_what_was_judged() -> None:
    assert to_text(HEALTHY_DATA).splitlines() == [
        "✔ No problem found in the data · 31 checks passed, 1 not applicable",
        "",
        "Model     digits · sequential · keras 3.15.0 · 101,770 weights (397.5 KiB)",
        "Inputs    image (28, 28) float32",
        "Outputs   digit (10,) softmax, loss sparse_categorical_crossentropy",
        "Training  adam · batches of 32 · 5 epochs",
        "",
        "Training data",
        "  x → image  numpy.ndarray · 60,000 × (28, 28) uint8 · 0 … 255 · 44.9 MiB",
        "  y → digit  numpy.ndarray · 60,000 × uint8 · 0 … 9 · 10 different labels",
        "  read       all of 60,000 samples",
        "",
        "--verbose lists what was not checked, and why.",
    ]


def test_one_finding_fits_one_screen() -> None:
    lines = to_text(BAD_LABELS).splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80


def test_a_stream_that_was_read_is_to_be_replaced() -> None:
    text = flat(to_text(BAD_LABELS))
    assert "Training data · generator, batches of 32 x → image (28, 28) uint8 · 0 … 255 " in text
    assert "read the first 12 batches (384 samples) of an endless stream, in 2.0 s; it can " in text
    assert "pass the `x` of this report to fit, which starts with the same batches" in text


def test_findings_come_gravest_first_with_evidence_and_fix() -> None:
    text = to_text(PIPELINE_FINDINGS)
    places = [text.index(code) for code in ("✖ FG641", "✖ FG610", "▲ FG640", "● FG633")]
    assert places == sorted(places)
    assert "    │ nan at sample 48, batch 1\n    │ nan at sample 1,201, batch 37 — sample_w" in text
    assert "    fix: Call shuffle before batch.\n" in text
    assert "2 errors, 1 warning, 1 note · 23 checks passed, 1 not applicable" in text
    assert "\nfitguard could not run the check FG612 huge-values: KeyError: 'float16'\n" in text


def test_the_pipeline_is_one_row_and_a_failure_stands_out() -> None:
    text = flat(to_text(PIPELINE_FINDINGS))
    assert "pipeline (from_tensor_slices | from_generator) → zip → map(augment) → cache(" in text
    assert "Validation data · tf.data.Dataset read nothing; it failed at batch 0: NotFound" in text
    coloured = printed(PIPELINE_FINDINGS, force_terminal=True, color_system="standard")
    (read,) = [line for line in coloured.splitlines() if "failed at batch 0" in line]
    assert "\x1b[33m" in read


def test_many_fields_are_listed_if_verbose() -> None:
    short, whole = to_text(MANY_COLUMNS), to_text(MANY_COLUMNS, verbose=True)
    assert "  … 3 more fields (--verbose lists them)\n" in short
    assert "· and 8 more" in flat(short)
    assert "x['score']" not in short
    assert "x['score'] → score" in whole
    assert "score (1,) float32" in flat(whole)
    assert "more fields" not in whole


def test_verbose_lists_what_was_not_made() -> None:
    assert "shuffle-after-batch" not in to_text(HEALTHY_DATA)
    text = to_text(HEALTHY_DATA, verbose=True)
    assert "FG640  shuffle-after-batch · the data is no tf.data pipeline" in text
    assert "(--verbose" not in text


def test_a_split_that_was_not_given_has_no_heading() -> None:
    assert "Validation data" not in to_text(HEALTHY_DATA)
    facts = msgspec.structs.replace(HEALTHY_DATA.facts, sources=(), fields=())
    assert "Training data" not in to_text(msgspec.structs.replace(HEALTHY_DATA, facts=facts))


def test_words_keep_to_the_width() -> None:
    for line in printed(PIPELINE_FINDINGS, width=50).splitlines():
        assert cell_len(line) <= 50


def test_an_ascii_console_gets_ascii() -> None:
    text = printed(BAD_LABELS, encoding="ascii")
    assert "  x -> image  (28, 28) uint8 - 0 ... 255\n" in text


def test_a_long_name_is_cut() -> None:
    text = to_text(hostile_data("n" * 5000))
    assert f"  {'n' * 59}… →" in text


@given(st.text(max_size=60))
@settings(max_examples=50, deadline=None)
def test_hostile_strings_never_reach_the_terminal(text: str) -> None:
    shown = to_text(hostile_data("\x1b[2J" + text + "\x9b\u202e"), verbose=True)
    shown.encode()
    assert not {char for char in shown if (char < " " and char != "\n") or "\x7f" <= char <= "\x9f"}
    assert "\u202e" not in shown
