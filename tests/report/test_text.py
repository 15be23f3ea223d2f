"""Text for a terminal."""

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report.samples import (
    BROKEN,
    DOCUMENTS,
    FACTS,
    FOUND,
    HEALTHY,
    NOT_FOUND,
    ONE_CHECK_BROKE,
    SAME_FIX,
    hostile,
)
from rich.cells import cell_len
from rich.console import Console

from fitguard.report.formats.text import print_document, to_text
from fitguard.report.privacy.redaction import redact
from fitguard.report.registry import Document
from fitguard.schema.doctor import DoctorReport
from fitguard.schema.facts import Facts, FailedProbe
from fitguard.schema.finding import Evidence, Finding, Fix


def printed(
    document: Document,
    encoding: str = "utf-8",
    *,
    width: int = 80,
    verbose: bool = False,
    **options: object,
) -> str:
    """What a console of this encoding and width receives."""
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding=encoding)
    console = Console(file=file, width=width, **options)  # type: ignore[arg-type]
    print_document(document, console, verbose=verbose)
    file.flush()
    return raw.getvalue().decode(encoding)


def test_a_healthy_report_is_short_and_says_what_was_judged() -> None:
    assert to_text(HEALTHY).splitlines() == [
        "✔ No problem found · 3 checks passed, 1 not applicable",
        "",
        "System      Debian GNU/Linux 12 (bookworm) · x86_64 · glibc 2.36",
        "Python      3.11.2 · /usr/bin/python3",
        "TensorFlow  2.21.0 (tensorflow-cpu) · CPU build",
        "Keras       3.12.0",
        "GPU         none found",
        "Driver      none found",
        "",
        "--verbose lists what was not checked, and why.",
    ]


def test_one_finding_fits_one_screen() -> None:
    report = DoctorReport(ok=False, findings=BROKEN.findings[1:2], facts=FACTS)
    redacted = redact(report, home="/home/ann", user="ann", host="dgx07")
    lines = to_text(redacted).splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80


def test_findings_come_gravest_first_with_evidence_fix_and_commands() -> None:
    text = to_text(BROKEN)
    places = [text.index(code) for code in ("FG204", "FG305", "FG712")]
    assert places == sorted(places)
    assert "✖ FG204 cuDNN 9.1.0 will be loaded" in text
    assert "    │ process 4711 (python) holds 138.0 GiB — NVML\n" in text
    assert "    fix: Wait until process 4711 ends" in text
    assert "      $ unset TF_CPP_MIN_LOG_LEVEL\n" in text
    assert "(medium confidence)" in text
    assert "high confidence" not in text
    assert "This fix changes the results of training." in " ".join(text.split())
    assert "1 error, 1 warning, 1 note · 20 checks passed" in text


def test_verbose_lists_what_was_not_made() -> None:
    report = DoctorReport(
        ok=True,
        passed=("FG101",),
        skipped=BROKEN.skipped,
        facts=Facts(failed_probes=(FailedProbe("nvml", "no answer within 2 s"),)),
    )
    assert "FG306" not in to_text(report)
    short = printed(report, width=100)
    assert "1 fact could not be read\n\n--verbose lists what was not checked, and why.\n" in short
    text = to_text(report, verbose=True)
    assert "FG306  gpu-unhealthy · the kernel log cannot be read" in text
    assert "nvml: no answer within 2 s" in text
    assert "FG101" in text


@pytest.mark.parametrize("verbose", [False, True])
def test_a_check_that_broke_is_always_told(verbose: bool) -> None:
    text = to_text(ONE_CHECK_BROKE, verbose=verbose)
    assert "No problem found · 3 checks passed, 1 not applicable" in text
    assert "\n\nfitguard could not run the check FG305 gpu-busy: KeyError: 'used_'\n" in text
    assert text.count("FG305") == 1


def test_nothing_is_left_to_list_where_the_only_unmade_check_broke() -> None:
    report = DoctorReport(ok=True, passed=("FG101",), skipped=ONE_CHECK_BROKE.skipped[1:])
    assert to_text(report) == (
        "✔ No problem found · 1 check passed\n\n"
        "fitguard could not run the check FG305 gpu-busy: KeyError: 'used_'\n"
    )


def test_a_fix_is_told_once() -> None:
    text = to_text(SAME_FIX)
    assert text.count("-m pip install") == 1
    assert "    fix: the same as for FG204\n" in text


def test_two_findings_without_a_fix_do_not_refer_to_one_another() -> None:
    findings = tuple(Finding(code=c, title="t", evidence=(), fix=Fix("")) for c in ("FG1", "FG2"))
    assert "the same as" not in to_text(DoctorReport(ok=False, findings=findings))


def test_long_evidence_is_cut_unless_verbose() -> None:
    evidence = Evidence("\n".join(f"line {number}" for number in range(30)), "train.log", 7)
    finding = Finding(code="FG1", title="t", evidence=(evidence,), fix=Fix("f"))
    report = DoctorReport(ok=False, findings=(finding,))
    assert "… 22 more lines (--verbose shows them) — train.log:7" in " ".join(
        printed(report, width=200).split()
    )
    assert "line 29" in to_text(report, verbose=True)


def test_a_command_is_never_broken() -> None:
    command = "python -m pip install " + " ".join(f"package{number}" for number in range(30))
    finding = Finding(code="FG1", title="t", evidence=(), fix=Fix("f", (command,)))
    report = DoctorReport(ok=False, findings=(finding,))
    assert f"      $ {command}\n" in printed(report, width=40)


def test_words_keep_to_the_width() -> None:
    for line in printed(BROKEN, width=50).splitlines():
        assert cell_len(line) <= 50 or line.lstrip().startswith("$ ")


def test_an_ascii_console_gets_ascii() -> None:
    text = printed(hostile("größer ≥ 日本 …"), encoding="ascii")
    assert "x FG999 gr\\xf6\\xdfer >= \\u65e5\\u672c ..." in text
    assert "    | " in text


def test_brackets_are_no_markup() -> None:
    assert "[bold]not bold[/bold] [/]" in to_text(hostile("[bold]not bold[/bold] [/]"))


def test_colour_comes_from_the_console() -> None:
    assert "\x1b[" in printed(BROKEN, force_terminal=True, color_system="standard")
    assert "\x1b[" not in printed(BROKEN, color_system=None)


def test_facts_are_sectioned() -> None:
    text = to_text(FACTS)
    assert "\nGPU 0\n" in text
    assert "  memory              140.4 GiB\n" in text
    assert "  /dev/nvidia0  accessible: yes\n" in text
    assert "  CUDA_VISIBLE_DEVICES  GPU-" in text
    assert to_text(Facts()) == "No facts are known.\n"


def test_a_resolution_names_versions_commands_and_why_not_newer() -> None:
    text = to_text(FOUND)
    assert "✔ TensorFlow 2.15.1 works here." in text
    assert "  CUDA        12.2\n" in text
    assert '  $ python3.11 -m pip install "tensorflow[and-cuda]==2.15.1"\n' in text
    assert "Run the official container" in text
    assert "2.21.0 … 2.18.1 (5 releases): need driver 545 [FG304]" in text


def test_no_resolution_names_the_openings() -> None:
    text = to_text(NOT_FOUND)
    assert "✖ No release of TensorFlow works with this." in text
    assert "• Python 3.10 instead of 3.12 → TensorFlow 2.10.1" in text
    assert "Why none" in text
    assert "No single change" in to_text(type(NOT_FOUND)(ok=False, given={}))


@pytest.mark.parametrize("name", DOCUMENTS)
@pytest.mark.parametrize("width", [1, 20, 200])
def test_every_document_at_every_width(name: str, width: int) -> None:
    assert printed(DOCUMENTS[name], verbose=True, width=width).endswith("\n")


@given(st.text(max_size=60))
@settings(max_examples=50, deadline=None)
def test_hostile_strings_never_reach_the_terminal(text: str) -> None:
    shown = to_text(hostile("\x1b[2J" + text + "\x9b\u202e"), verbose=True)
    shown.encode()
    assert not {char for char in shown if (char < " " and char != "\n") or "\x7f" <= char <= "\x9f"}
    assert "\u202e" not in shown
