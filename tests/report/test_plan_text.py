"""A plan on a terminal."""

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report.made_plans import (
    FITS,
    GIB,
    NO_CARD,
    NOT_EVEN_ONE,
    PLANS,
    TOO_LARGE,
    UNSURE,
    hostile_plan,
)
from report.test_text import printed
from rich.cells import cell_len

from fitguard.report.formats.text import to_text
from fitguard.report.rows.plan_words import ends
from fitguard.schema.plan import Range


def flat(text: str) -> str:
    """The text without its line breaks."""
    return " ".join(text.split())


@pytest.mark.parametrize(
    ("plan", "told"),
    [
        (TOO_LARGE, "✖ Does not fit: a batch of 128 needs 11.1 GiB (10.5 to 12.0), usable: 7.2 G"),
        (FITS, "✔ Fits: a batch of 64 needs 5.9 GiB (5.6 to 6.3), usable: 7.2 GiB"),
        (UNSURE, "▲ Not sure: a batch of 256 (64 on each of 4 GPUs) needs 6.0 GiB (5.0 to 8.0) on "
         "each, usable: 6.0 GiB"),
        (NO_CARD, "● A batch of 32 needs 1.7 MiB of GPU memory"),
    ],
)  # fmt: skip
def test_the_verdict_comes_first(plan, told) -> None:
    assert flat(to_text(plan)).startswith(told)


def test_the_verdict_is_one_line() -> None:
    for plan in (TOO_LARGE, FITS, NO_CARD):
        assert to_text(plan).splitlines()[1] == ""


def test_three_numbers_and_one_sentence_that_tells_them_apart() -> None:
    text = to_text(TOO_LARGE)
    assert "required     the least that the step runs in  11.1 GiB  10.5 to 12.0 GiB\n" in text
    assert "comfortable  what it takes if there is room   14.3 GiB  11.7 to 18.5 GiB\n" in text
    assert "process      what nvidia-smi shows            14.9 GiB  12.3 to 19.2 GiB\n" in text
    assert "runs in the required memory. If there is room, it takes the comfortable" in flat(text)


def test_ranges_share_a_unit_where_they_can() -> None:
    assert ends(Range(900 * 2**20, GIB, 2 * GIB)) == "900.0 MiB to 2.0 GiB"
    assert ends(Range(GIB, GIB, GIB)) == ""


def test_the_bar_ends_where_the_card_ends() -> None:
    lines = to_text(TOO_LARGE).splitlines()
    (bar,) = [line for line in lines if line.startswith("[")]
    # 8 GiB of the 11.9 GiB that would be held.
    assert abs(bar.index("|") / len(bar) - 8 / 11.9) < 0.02
    assert bar.count("A") > bar.count("K") > bar.count("S") > 0
    assert "." not in bar
    assert "The card ends at the |: 3.9 GiB are missing." in lines
    assert "A activations        9.6 GiB     81 %" in "\n".join(lines)


def test_what_is_free_shows_where_it_fits() -> None:
    text = to_text(FITS)
    assert ".............]\n" in text
    assert ". free               1.4 GiB     17 %\n" in text
    assert "missing" not in text


def test_layers_are_cut_unless_verbose() -> None:
    short, whole = to_text(TOO_LARGE), to_text(TOO_LARGE, verbose=True)
    assert "  layer                kind                     holds  share  per sample\n" in short
    assert "  conv1_bn             BatchNormalization   900.0 MiB  7.9 %     6.6 MiB\n" in short
    assert "  … 2 more layers (--verbose lists them)\n" in short
    assert "predictions" not in short
    assert "  predictions " in whole
    assert "more layers" not in whole


def test_a_column_in_which_nothing_stands_is_left_out() -> None:
    assert "  layer  kind       holds  share\n  dense  Dense  900.0 KiB   53 %\n" in to_text(
        NO_CARD
    )


def test_batches() -> None:
    assert "Largest batch  76\nMicro-batch    64, adding up the gradients of 2 of " in to_text(
        TOO_LARGE
    )
    assert "Micro-batch" not in to_text(FITS)
    assert "Largest batch" not in to_text(NO_CARD)
    assert "Largest batch  none: not even one sample fits\n" in to_text(NOT_EVEN_ONE)


def test_advice_in_order_with_bytes_results_and_whether_it_is_enough() -> None:
    text = to_text(TOO_LARGE)
    places = [text.index(title) for title in ("1. Micro", "2. Compile with XLA", "3. Compute in")]
    assert places == sorted(places)
    assert "saves 5.3 GiB, then needs 5.8 GiB · enough · same results · batches up" in text
    assert "saves 2.6 GiB, then needs 8.5 GiB · not enough alone · same results" in text
    assert "enough · changes the results · batches up to 150" in flat(text)
    assert '      model.compile(optimizer="adam", loss=loss,\n                    jit_comp' in text
    assert "What to do\n" in text
    fitting = msgspec.structs.replace(FITS, advice=TOO_LARGE.advice)
    assert "What would save memory\n" in to_text(fitting)


def test_what_is_not_known() -> None:
    text = to_text(UNSURE)
    assert "  • PyFunc in the layer `tokens` (at most 512.0 MiB): Python code runs there.\n" in text
    assert "  • the custom train_step (no upper limit): It reads a file.\n" in text
    assert "? not assigned       6.0 GiB     75 %" in text
    assert "not known" not in to_text(FITS)


def test_reasons_if_verbose() -> None:
    assert "up to 3 %" not in to_text(FITS)
    assert "1 reason for the ranges (--verbose lists them)" in to_text(FITS)
    assert "  • The executor may run branches in another order: up to 3 % more." in to_text(
        FITS, verbose=True
    )


def test_a_measurement_is_told() -> None:
    text = flat(to_text(FITS))
    assert "Measured NVIDIA H200 · ran in 5.8 GiB · failed in 5.8 GiB · peak with room" in text
    assert "without running a step" not in text
    assert "Planned in 3.2 s, without running a step." in to_text(TOO_LARGE)


@pytest.mark.parametrize("name", PLANS)
@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_words_keep_to_the_width(name: str, width: int) -> None:
    code = {line.strip() for advice in PLANS[name].advice for line in advice.code.splitlines()}
    for line in printed(PLANS[name], width=width, verbose=True).splitlines():
        assert cell_len(line) <= width or line.strip() in code


@pytest.mark.parametrize("name", PLANS)
def test_an_ascii_console_gets_ascii(name: str) -> None:
    printed(PLANS[name], encoding="ascii", verbose=True).encode("ascii")


def test_colour_is_never_all_that_tells() -> None:
    coloured = printed(TOO_LARGE, force_terminal=True, color_system="standard")
    assert "\x1b[33mAAAA" in coloured


def test_wide_letters_keep_the_columns() -> None:
    name = "層" * 30
    lines = printed(hostile_plan(name), width=60).splitlines()
    assert all(cell_len(line) <= 60 for line in lines if line != f"      {name}")


@given(st.text(max_size=60))
@settings(max_examples=50, deadline=None)
def test_hostile_strings_never_reach_the_terminal(text: str) -> None:
    shown = to_text(hostile_plan("\x1b[2J" + text + "\x9b\u202e"), verbose=True)
    shown.encode()
    assert not {char for char in shown if (char < " " and char != "\n") or "\x7f" <= char <= "\x9f"}
    assert "\u202e" not in shown
