"""What the policy does about a cause, on the page of that cause."""

import pytest

from fitguard.causes.framework.policy_words import phrase_tries, section_on_run
from fitguard.causes.framework.registry import all_causes
from fitguard.knowledge import knowledge


@pytest.mark.parametrize("slug", [slug for slug in all_causes() if slug != "none"])
def test_every_page_tells_each_try_and_the_last_word(slug: str) -> None:
    page = all_causes()[slug].page
    row = knowledge().policy.row(slug, "")
    assert row.stop in page
    for remedy in row.tries:
        for name, value in remedy.environment.items():
            assert f"{name}={value}" in page
        assert not remedy.changes_results or f"--allow {remedy.action}" in page


def test_the_section_stands_before_the_references() -> None:
    page = all_causes()["gpu-oom"].page
    assert page.index("## How to fix it") < page.index("## What fitguard run does")
    assert page.index("## What fitguard run does") < page.index("## References")
    assert "1. Split the batch into smaller micro-batches, up to 16 times. The optimizer" in page
    assert "2. Compute part of each step twice to save memory, up to 4 times. For models" in page


def test_a_cause_that_is_not_cured_says_so() -> None:
    assert "fitguard does not restart it. It stops and says:" in section_on_run("driver-too-old")
    assert phrase_tries("driver-too-old") == ""


def test_outcomes_that_have_a_row_of_their_own() -> None:
    assert "If something outside killed the process, fitguard tries" in section_on_run("unknown")
    assert "the same as for *gpu-oom*" in section_on_run("host-oom")


def test_a_sentence_names_the_first_tries_and_none_that_changes_results() -> None:
    assert phrase_tries("gpu-oom") == (
        "split the batch into smaller micro-batches, then compute part of each step twice to save "
        "memory"
    )
    assert phrase_tries("xla-toolchain") == ""
