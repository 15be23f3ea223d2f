"""A run, and a list of runs, in Markdown and HTML, and in a notebook; SARIF has no form for it."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report.made_runs import (
    INEXACT,
    NEVER_STARTED,
    NO_RUNS,
    PLAIN,
    RUN_LIST,
    STOPPED,
    SURVIVED,
    hostile_list,
    hostile_moment,
    hostile_run,
    often_killed,
)
from report.test_html import Outline
from report.test_markdown import tags

from fitguard.report.formats.html import to_html
from fitguard.report.formats.markdown import to_markdown
from fitguard.report.privacy.redaction import redact
from fitguard.report.render import render
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.run import Run
from fitguard.schema.run_list import RunLine, RunList


def test_markdown_tells_attempts_cause_and_decisions_and_folds_epochs() -> None:
    text = to_markdown(SURVIVED)
    seen = re.sub(r"<details>.*?</details>", "", text, flags=re.DOTALL)
    folded = text.partition("<summary>Epochs</summary>")[2].partition("</details>")[0]
    assert seen.startswith("## fitguard run: Finished after 3 attempts; 2 crashes survived; 41 of")
    assert (
        "| 2 | 1 min 40 s | 30 min | 0 to 2,461 | 2,461 | 41 | **killed by SIGKILL** | host-oom |"
    ) in seen
    assert "### Attempt 2: killed by SIGKILL · host-oom\n" in seen
    assert "```text\nOut of memory: Killed process 4188 (python)" in seen
    assert " **started again**: Killed for lack of host memory at step 2,461" in seen
    assert "| Training paused | 11 s (0.2 % of the time) |" in seen
    assert "| epoch | loss | accuracy | val_loss | val_accuracy | attempt |" in folded
    assert folded.count("\n| ") == 22  # two lines of headers, and 20 epochs


def test_markdown_of_what_is_not_exact() -> None:
    text = to_markdown(INEXACT)
    assert "undisturbed run:\n\n- **fit 1:** The generator has a state of its own" in text
    assert "**(changes the results)**" in text


def test_markdown_of_many_attempts_folds_the_earlier_ones() -> None:
    seen, folded = to_markdown(often_killed(300)).split("<details>", 1)
    assert "| 300 | " in seen
    assert "| 1 | 30 s |" not in seen
    assert "| 1 | 30 s |" in folded


def test_markdown_of_lists() -> None:
    assert to_markdown(RUN_LIST).startswith("## fitguard runs: 3 runs in fitguard-runs\n\n| run |")
    assert "- fitguard-runs/old: no journal" in to_markdown(RUN_LIST)
    assert "No runs in fitguard-runs." in to_markdown(NO_RUNS)


@given(st.text(alphabet=st.sampled_from("<>|`*_[]()#!\\&~-\n a1.=$@:/\"'"), max_size=40))
@settings(max_examples=100, deadline=None)
def test_hostile_strings_do_not_change_the_markdown_page(text: str) -> None:
    harmless = re.sub(r"[^\n]", "x", text)
    for made in (hostile_run, hostile_list, hostile_moment):
        hostile, plain = (to_markdown(made(f"x{part}x")) for part in (text, harmless))
        assert tags(hostile) == tags(plain)


def test_html_has_timeline_loss_memory_attempts_and_decisions() -> None:
    text = to_html(SURVIVED)
    assert '<p class="verdict fine"><span class="tone">Finished after 3 attempts; 2 crash' in text
    for title in ("Attempts over time", "Loss", "Accuracy", "Memory", "Attempts", "Decisions",
                  "Notes", "Calls of fit", "Snapshots"):  # fmt: skip
        assert f"<h3>{title}</h3>" in text
    assert text.count('class="wide ended-') == 3
    assert '<div class="quoted">Out of memory: Killed process 4188 (python)' in text
    assert "could not give 1.2 GiB for <code>conv2d_3</code>" in text
    assert "What is not exact" not in text


def test_html_says_what_is_not_exact_before_the_pictures() -> None:
    text = to_html(INEXACT)
    assert text.index("What is not exact") < text.index("<h3>Loss</h3>")
    assert "<code>fitguard run --resume 20251113-080000-beef</code> continues it." in text
    assert "changes the results" in text


def test_html_of_a_run_that_did_nothing() -> None:
    text = to_html(NEVER_STARTED)
    assert "Nothing was started yet." in text
    assert "<svg" not in text
    assert "<h3>" not in text


def test_html_of_a_run_that_stopped_at_once_has_no_empty_pictures() -> None:
    text = to_html(STOPPED)
    assert "<h3>Loss</h3>" not in text
    assert "<h3>Memory</h3>" not in text
    assert "(medium confidence)" in text


def test_pictures_are_told_to_those_who_do_not_see_them() -> None:
    text = to_html(PLAIN)
    pictures = text.split('<svg class="curve" role="img"')[1:]
    assert len(pictures) == 4
    assert all("<title>" in picture and "<desc>" in picture for picture in pictures)


def test_a_page_of_300_attempts_is_not_huge() -> None:
    text = to_html(often_killed(300))
    assert len(text) < 1_000_000
    assert text.count("Attempts 1 to 299: killed by SIGKILL<") == 1


def test_html_of_lists() -> None:
    text = to_html(RUN_LIST)
    page = "fitguard-runs/20251115-094640-a3f1/report.html"
    assert f'<a href="{page}">20251115-094640-a3f1</a>' in text
    assert text.index("20251115-094640-a3f1") < text.index("20251114-210002-77c0")
    assert "No runs in fitguard-runs." in to_html(NO_RUNS)


@given(st.text(alphabet=st.sampled_from("<>&\"'{}%/= \n;#ascript"), max_size=40))
@settings(max_examples=50, deadline=None)
def test_hostile_strings_add_no_element(text: str) -> None:
    for made in (hostile_run, hostile_list, hostile_moment):
        plain = Outline(to_html(made("x")))
        outline = Outline(to_html(made(f"x<script>{text}</script></svg></style>--><b onclick=a>")))
        assert outline.tags == plain.tags
        assert "onclick" not in {name for name, _ in outline.attributes}


def test_sarif_is_for_findings() -> None:
    with pytest.raises(UsageError, match=r"Received --format sarif for fitguard/run/1. SARIF hold"):
        render(SURVIVED, "sarif")


@pytest.mark.parametrize("format", ["text", "json", "markdown", "html"])
def test_private_names_go_out(format: str) -> None:
    for made in (hostile_run, hostile_list, hostile_moment):
        private = made("python /home/ann/train.py on dgx07")
        shown = render(redact(private, home="/home/ann", user="ann", host="dgx07"), format)
        assert "dgx07" not in shown
        assert "/home/ann" not in shown
        assert "~/train.py" in shown


COMMAND = ("train.py", "--api-key", "hunter2", "--epochs", "3", "--token=hunter3", "--password")


@pytest.mark.parametrize(
    "document",
    [
        Run(id="a", command=COMMAND, folder="a", started=0, state="lost"),
        RunList(folder="a", runs=(RunLine(id="a", state="lost", started=0, command=COMMAND),)),
    ],
)
def test_secrets_of_the_command_go_out(document: Run | RunList) -> None:
    shown = redact(document, home="", user="", host="")
    command = shown.command if isinstance(shown, Run) else shown.runs[0].command
    assert command == ("train.py", "--api-key", "<secret>", "--epochs", "3", "--token=<secret>",
                       "--password")  # fmt: skip


def test_a_user_who_is_called_like_a_state_breaks_nothing() -> None:
    shown = redact(SURVIVED, home="", user="finished", host="killed")
    assert shown.state == "finished"
    assert shown.attempts[1].outcome == "killed"
