"""A diagnosis in every format: one screen of text, the telling part of long lines, all of JSON."""

import json
import re

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report.diagnoses import (
    DECIDED,
    FRAGMENTATION,
    GPU_OOM,
    NOTHING_WRONG,
    NUMA,
    UNDECIDED,
    hostile_diagnosis,
)
from report.test_html import Outline
from report.test_markdown import tags

from fitguard.report.formats.html import mark_code, to_html
from fitguard.report.formats.json_text import to_json
from fitguard.report.formats.markdown import to_markdown
from fitguard.report.formats.text import to_text
from fitguard.report.privacy.redaction import redact
from fitguard.report.rows.excerpt import telling_part
from fitguard.schema.diagnosis import Diagnosis, FoundCause
from fitguard.schema.finding import Evidence, Fix

TELLING = "OOM when allocating tensor with shape[256,112,112,64] and type float"
LONG = "x" * 5000 + f" {TELLING} " + "y" * 5000


def with_evidence(*evidence: Evidence) -> Diagnosis:
    found = msgspec.structs.replace(GPU_OOM, evidence=evidence)
    return Diagnosis(primary="gpu-oom", causes=(found,), lines=1)


def test_text_is_one_screen() -> None:
    shown = redact(DECIDED, home="/home/ann", user="ann", host="dgx07")
    lines = to_text(shown).splitlines()
    assert len(lines) <= 30
    assert max(map(len, lines)) <= 80


def test_text_tells_cause_proof_reason_and_remedy_in_this_order() -> None:
    text = " ".join(to_text(DECIDED).split())
    places = [
        text.index(part)
        for part in (
            "✖ gpu-oom: The GPU has too little memory for this model and batch. · high confidence, "
            "1,204 lines read",
            "OOM when allocating tensor",
            "train.log:812",
            "why: The allocator was asked for 784.0 MiB",
            "fix: Train with a batch of 128",
            "$ TF_GPU_ALLOCATOR=cuda_malloc_async python",
            "This fix changes the results of training.",
            "more: fitguard explain gpu-oom",
            "Less likely • gpu-fragmentation (low confidence): TensorFlow names it",
            "Harmless: 7 lines • numa-node ×6: The kernel does not say",
            "note: driver=R5x",
        )
    ]
    assert places == sorted(places)


def test_the_others_are_told_in_full_if_verbose() -> None:
    assert "If the cause is memory fragmentation" not in to_text(DECIDED)
    text = to_text(DECIDED, verbose=True)
    assert "If the cause is memory fragmentation" in text
    assert "There is enough free GPU memory" in " ".join(text.split())
    assert "Try the other allocator" in text
    assert "successful NUMA node read" in text


def test_many_kinds_of_noise_are_counted_unless_verbose() -> None:
    kinds = tuple(msgspec.structs.replace(NUMA, name=f"kind-{n}", count=n) for n in range(1, 8))
    noisy = msgspec.structs.replace(DECIDED, noise=kinds)
    text = " ".join(to_text(noisy).split())
    assert "Harmless: 28 lines, kind-1 ×1, kind-2 ×2," in text
    assert NUMA.meaning not in text
    assert " ".join(to_text(noisy, verbose=True).split()).count(NUMA.meaning) == 7


def test_much_evidence_is_folded_unless_verbose() -> None:
    many = with_evidence(*(Evidence(f"proof {n}", f"{n}.log", n) for n in range(1, 10)))
    assert "… 5 more quotations (--verbose shows them)" in to_text(many)
    assert "proof 9" in to_text(many, verbose=True)


def test_where_nothing_decides_the_questions_come_first() -> None:
    text = to_text(UNDECIDED)
    assert text.startswith("▲ Not enough to name a cause · 1 line read\n")
    assert text.index("1. What the kernel logged") < text.index("2. The run's own log")
    assert text.index("2. The run's") < text.index("Possible causes")
    assert "Less likely" not in text
    assert to_markdown(UNDECIDED).startswith("## fitguard explain: Not enough to name a cause\n")
    assert "<h3>What would decide it, the most useful first</h3>" in to_html(UNDECIDED)


@pytest.mark.parametrize("render", [to_text, to_markdown, to_html])
def test_questions_may_follow_where_nothing_seems_wrong(render) -> None:
    doubted = msgspec.structs.replace(NOTHING_WRONG, questions=UNDECIDED.questions)
    shown = render(doubted)
    assert "If the run died anyway, look at these" in shown
    assert "The run" in shown.partition("died anyway")[2]
    assert "died anyway" not in render(NOTHING_WRONG)


def test_nothing_wrong_is_green() -> None:
    assert to_text(NOTHING_WRONG).startswith(
        "✔ Nothing is wrong. · high confidence, 200 lines read\n"
    )
    assert '<article class="card finding fine">' in to_html(NOTHING_WRONG)


def test_markdown_has_all_in_its_place() -> None:
    text = to_markdown(DECIDED)
    assert text.startswith("## fitguard explain: gpu-oom: The GPU has too little memory")
    assert "type float on /job:localhost/replica:0/task:0/device:GPU:0 by" in text
    assert "    -- /home/ann/mnist/train.log:812, 790\n" in text
    assert "**Why:** The allocator was asked" in text
    assert "**Fix:** Train with a batch of 128: it needs 613.6 MiB less.<br>Or split" in text
    assert "**gpu-fragmentation** *(low confidence)*: TensorFlow names it" in text
    folded = text.partition("<details><summary>Evidence and fix</summary>")[2]
    assert "If the cause is memory fragmentation" in folded
    assert "<details><summary>Harmless: 7 lines</summary>\n\n**numa-node ×6:** The" in text
    assert "- Note: driver=R5x" in text


def test_html_has_cards_and_folded_noise() -> None:
    text = to_html(DECIDED)
    assert re.findall(r'class="card finding (\w+)"', text) == ["error", "info"]
    assert "high confidence" in text
    assert text.index("TensorFlow names it") < text.index("If the cause is memory fragmentation")
    seen, folded = text.split('<details class="card">', 1)
    assert "NUMA" not in seen
    assert "NUMA" in folded
    assert "<code>TF_GPU_ALLOCATOR=cuda_malloc_async</code>." in text


def test_json_has_the_published_form() -> None:
    document = json.loads(to_json(DECIDED))
    assert document["schema"] == "fitguard/diagnosis/1"
    assert document["primary"] == "gpu-oom"
    assert [found["cause"] for found in document["causes"]] == ["gpu-oom", "gpu-fragmentation"]
    first = document["causes"][0]
    assert first["evidence"][0]["line"] == 812
    assert first["fix"]["changes_results"] is True
    assert document["noise"][0]["count"] == 6
    assert json.loads(to_json(UNDECIDED))["primary"] is None


@pytest.mark.parametrize("render", [to_text, to_markdown, to_html])
def test_a_long_line_is_cut_to_its_telling_part(render) -> None:
    shown = render(with_evidence(Evidence(LONG, "a.log", 1)))
    assert TELLING in " ".join(re.sub(r"\n *│", "", shown).split())
    assert len(shown) < 20_000
    assert "more characters)" in " ".join(shown.split())


def test_json_keeps_a_long_line_whole() -> None:
    document = json.loads(to_json(with_evidence(Evidence(LONG, "a.log", 1))))
    assert document["causes"][0]["evidence"][0]["text"] == LONG


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("short", "short"),
        ("a" * 100, f"{'a' * 50} … (50 more characters)"),
        (f"{'a ' * 500}{TELLING}", "OOM when allocating tensor"),
        ("Ω" * 10**6, "Ω"),
    ],
)
def test_telling_parts(text: str, expected: str) -> None:
    part = telling_part(text, 50)
    assert expected in part
    assert len(part) < 100


def test_names_of_other_machines_in_logs_are_hidden() -> None:
    lines = (
        "I tensorflow/stream_executor/cuda/cuda_diagnostics.cc:156] hostname: titan3",
        "retrieving CUDA diagnostic information for host: titan3",
        "(base) bob@titan3:~/mnist$ python train.py",
        "Nov 15 05:09:01 titan3 kernel: NVRM: Xid (PCI:0000:65:00): 79",
        "wandb: using key=0123456789abcdef0123456789abcdef01234567 /home/bob/x",
    )
    shown = redact(with_evidence(*(Evidence(line, "a.log", 1) for line in lines)),
                   home="/root", user="", host="")  # fmt: skip
    told = to_json(shown)
    assert "titan3" not in told
    assert "bob" not in told
    assert "NVRM: Xid (PCI:0000:65:00): 79" in told


def test_redaction_leaves_the_vocabulary_alone() -> None:
    shown = redact(hostile_diagnosis("hang of gpu-oom"), home="/x", user="hang", host="gpu-oom")
    assert shown.primary == "hang"
    assert [found.cause for found in shown.causes] == ["hang", "gpu-oom"]
    assert shown.notes == ("<user> of <host>",)


def test_brackets_are_no_markup() -> None:
    text = "[bold]not bold[/bold] [/] [link=http://x]y[/link]"
    assert text in to_text(hostile_diagnosis(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("run `a b` now", "run <code>a b</code> now"),
        ("`<b>` & `", "<code>&lt;b&gt;</code> &amp; `"),
        ("`a\nb`", "`a\nb`"),
        ("``", "``"),
    ],
)
def test_backticks_become_code(text: str, expected: str) -> None:
    assert str(mark_code(text)) == expected


@pytest.mark.parametrize("decided", [True, False])
@given(text=st.text(max_size=60))
@settings(max_examples=40, deadline=None)
def test_hostile_strings_reach_no_terminal(text: str, decided: bool) -> None:
    diagnosis = hostile_diagnosis("\x1b[2J" + text + "\x9b\u202e", decided=decided)
    for verbose in (True, False):
        shown = to_text(diagnosis, verbose=verbose)
        shown.encode()
        unseen = {c for c in shown if (c < " " and c != "\n") or "\x7f" <= c <= "\x9f"}
        assert not unseen | ({"\u202e"} & set(shown))


@pytest.mark.parametrize("decided", [True, False])
@given(text=st.text(alphabet=st.sampled_from("<>|`*_[]()#!\\&~-\n a1.=$@:/\"'"), max_size=40))
@settings(max_examples=60, deadline=None)
def test_hostile_strings_do_not_change_the_markdown(text: str, decided: bool) -> None:
    harmless = re.sub(r"[^\n]", "x", text)
    assert tags(to_markdown(hostile_diagnosis(f"x{text}x", decided=decided))) == tags(
        to_markdown(hostile_diagnosis(f"x{harmless}x", decided=decided))
    )


@pytest.mark.parametrize("decided", [True, False])
@given(text=st.text(alphabet=st.sampled_from("<>&\"'{}%/= \n;#ascript"), max_size=40))
@settings(max_examples=40, deadline=None)
def test_hostile_strings_add_no_element(text: str, decided: bool) -> None:
    plain = Outline(to_html(hostile_diagnosis("x", decided=decided)))
    attack = f"x<script>{text}</script></pre></style>--><b onclick=a>"
    outline = Outline(to_html(hostile_diagnosis(attack, decided=decided)))
    assert outline.tags == plain.tags
    assert "onclick" not in {name for name, _ in outline.attributes}


def test_a_cause_without_words_is_still_shown() -> None:
    bare = FoundCause(cause="hang", confidence="low", evidence=(), why="", fix=Fix(""))
    text = to_text(Diagnosis(primary="hang", causes=(bare, FRAGMENTATION)))
    assert text.startswith("✖ hang · low confidence\n    more: fitguard explain hang\n")
