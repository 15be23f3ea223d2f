"""Why not even one sample fits, in sentences, and on the page of a plan."""

import msgspec
import pytest
from report.made_plans import GIB, MIB, NOT_EVEN_ONE, SHORTAGE, TOO_LARGE

from fitguard.report.formats.markdown import to_markdown
from fitguard.report.formats.text import to_text
from fitguard.report.rows.shortage_words import describe_shortage, describe_ways
from fitguard.schema.plan import Advice, Range


def flat(text):
    return " ".join(text.split())


def like(**fields):
    return msgspec.structs.replace(SHORTAGE, **fields)


def test_the_state_is_told_part_by_part():
    assert describe_shortage(SHORTAGE) == (
        "Not even one sample fits: weights 2.0 GiB, the optimizer's state 4.0 GiB and gradients "
        "2.0 GiB take 8.0 GiB together, and 7.0 GiB can be used."
    )


def test_a_layer_is_named():
    assert describe_shortage(like(too_large="layer")) == (
        "Not even one sample fits: what the layer conv1_conv (Conv2D) computes takes 996.0 MiB by "
        "itself, beside 6.0 GiB of weights and optimizer state, and 7.0 GiB can be used."
    )


def test_where_no_part_is_too_large_all_are_told():
    assert describe_shortage(like(too_large="sum")) == (
        "Not even one sample fits: it needs 9.0 GiB (8.0 to 10.0), and 7.0 GiB can be used. It "
        "holds weights 2.0 GiB, the optimizer's state 4.0 GiB, gradients 2.0 GiB and 1.0 GiB that "
        "the layers compute. The dearest layers are conv1_conv (Conv2D) 996.0 MiB and conv1_bn "
        "(BatchNormalization) 896.0 MiB."
    )
    small = msgspec.structs.replace(SHORTAGE.breakdown, weights=MIB, optimizer=MIB, gradients=0)
    assert "It holds 1.0 GiB that the layers compute." in describe_shortage(
        like(too_large="sum", breakdown=small)
    )


@pytest.mark.parametrize(
    ("fields", "failed", "begin"),
    [
        ({"required_bytes": Range(6 * GIB, 8 * GIB, 9 * GIB)}, False, "Perhaps not even one"),
        ({"required_bytes": Range(6 * GIB, 8 * GIB, 9 * GIB)}, True, "Not even one sample fits"),
        ({"batch_size": 64}, False, "A batch of 64 does not fit: "),
    ],
)
def test_what_is_not_sure_is_not_said_as_if_it_were(fields, failed, begin):
    assert describe_shortage(like(**fields), failed=failed).startswith(begin)


def advice(title, *, enough, changes_results=True):
    return Advice(slug="optimizer", title=title, text="", required_bytes=5 * GIB, saved_bytes=GIB,
                  enough=enough, changes_results=changes_results)  # fmt: skip


def test_ways_that_are_enough_come_alone():
    given = [
        advice("Use Lion", enough=False),
        advice("Compile", enough=True, changes_results=False),
    ]
    assert describe_ways(SHORTAGE, given) == (
        "It would fit with one of these: Compile (needs 5.0 GiB)."
    )
    assert describe_ways(SHORTAGE, given[:1]) == (
        "Not enough: Use Lion (needs 5.0 GiB, changes results). One sample fits a GPU with "
        "12.0 GiB, as the script is."
    )
    assert describe_ways(like(card_bytes=None), []) == ""


@pytest.mark.parametrize("write", [to_text, to_markdown])
def test_the_page_says_what_is_too_large_and_which_card_has_the_room(write):
    text = flat(write(NOT_EVEN_ONE))
    assert "Why not even one sample fits" in text
    assert "take 8.0 GiB together, and 7.0 GiB can be used." in text
    assert "One sample fits a GPU with 12.0 GiB, as the script is." in text
    assert "What to do" not in text


def test_advice_for_one_sample_says_so():
    first = TOO_LARGE.advice[0]
    text = flat(to_text(msgspec.structs.replace(NOT_EVEN_ONE, advice=(first,))))
    assert f"What would make one sample fit 1. {first.title}" in text
    assert "If the batch of 128 does not fit then, `fitguard run` trains it in parts." in text
    hopeless = msgspec.structs.replace(first, enough=False)
    text = flat(to_text(msgspec.structs.replace(NOT_EVEN_ONE, advice=(hopeless,))))
    assert "Nothing of this is enough. One sample fits a GPU with 12.0 GiB" in text
