"""The HTML report in a real browser: what a hostile log would run, what it would show."""

import subprocess
from html import escape

import pytest
from chromium import CHROMIUM, FLAGS, NO_HOSTS
from report.data_reports import PIPELINE_FINDINGS, hostile_data
from report.diagnoses import hostile_diagnosis
from report.made_plans import TOO_LARGE, hostile_plan
from report.made_runs import SURVIVED, hostile_list, hostile_moment, hostile_run
from report.samples import BROKEN, hostile

from fitguard.report.formats.html import to_html

ATTACKS = (
    "<script>document.title='owned'</script>",
    "<img src=x onerror=\"document.title='owned'\">",
    "</style></pre><svg onload=\"document.title='owned'\">",
    "'\"><iframe srcdoc=\"<script>parent.document.title='owned'</script>\">",
)


def rendered(html: str, folder, *flags: str) -> str:
    """The page as the browser has it after all scripts ran."""
    file = folder / "report.html"
    file.write_text(html, encoding="utf-8")
    profile = f"--user-data-dir={folder}/profile"
    command = [CHROMIUM, *FLAGS, NO_HOSTS, *flags, profile, "--dump-dom", file.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    return done.stdout


@pytest.mark.parametrize("attack", ATTACKS)
def test_hostile_text_runs_nothing(attack, tmp_path):
    dom = rendered(to_html(hostile(attack)), tmp_path)
    assert "<title>fitguard doctor" in dom
    # As text, a browser writes these three back as entities, and a quote as it is.
    shown = attack.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    assert f"<h3>{shown}</h3>" in dom
    assert f'<div class="quoted">{shown}' in dom
    assert "<title>owned" not in dom


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_hostile_log_runs_nothing(attack, tmp_path):
    dom = rendered(to_html(hostile_diagnosis(f"`{attack}`")), tmp_path)
    assert "<title>fitguard explain" in dom
    shown = attack.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    assert f'<div class="quoted">`{shown}`</div>' in dom
    assert f"<code>{shown}</code>" in dom
    assert "<title>owned" not in dom


@pytest.mark.parametrize("attack", ATTACKS)
def test_hostile_data_runs_nothing(attack, tmp_path):
    dom = rendered(to_html(hostile_data(attack)), tmp_path)
    assert "<title>fitguard data" in dom
    shown = attack.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    assert f"<h3>{shown}</h3>" in dom
    assert "<title>owned" not in dom


def test_a_hostile_plan_runs_nothing(tmp_path):
    attack = "".join(ATTACKS)
    dom = rendered(to_html(hostile_plan(attack)), tmp_path)
    assert "<title>fitguard plan" in dom
    shown = attack.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    assert f"<h3>1. {shown}</h3>" in dom
    assert "<title>owned" not in dom


@pytest.mark.parametrize("made", [hostile_run, hostile_list, hostile_moment])
def test_a_hostile_run_runs_nothing(made, tmp_path):
    attack = "".join(ATTACKS)
    dom = rendered(to_html(made(attack)), tmp_path)
    assert "<title>fitguard " in dom
    shown = attack.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    assert f">{shown}</" in dom
    assert "<title>owned" not in dom


@pytest.mark.parametrize("width", [400, 1100])
def test_nothing_is_wider_than_the_window(width, tmp_path):
    long = "a" * 3000
    pages = (
        *(hostile_data(long), PIPELINE_FINDINGS, hostile_plan(long), TOO_LARGE),
        *(hostile_run(long), SURVIVED, hostile_list(long), hostile_moment(long)),
    )
    # The page forbids scripts; the measuring one comes in before that is said.
    script = (
        "<script>addEventListener('load', () => {const whole = document.documentElement; "
        "parent.document.title = `${whole.scrollWidth - whole.clientWidth} of "
        "${whole.clientWidth} too wide`})</script>"
    )
    whole = escape(script + "".join(map(to_html, pages)))
    # No window of this browser is narrower than 500, but a frame in it may be.
    frame = f'<title></title><iframe srcdoc="{whole}" style="border: 0; width: {width}px"></iframe>'
    dom = rendered(frame, tmp_path, "--window-size=1200,900", "--hide-scrollbars")
    assert f"<title>0 of {width} too wide</title>" in dom


def test_findings_are_shown(tmp_path):
    dom = rendered(to_html(BROKEN), tmp_path)
    for finding in BROKEN.findings:
        assert finding.code in dom
