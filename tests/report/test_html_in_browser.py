"""The HTML report in a real browser: what a hostile log would run, what it would show."""

import shutil
import subprocess

import pytest
from report.diagnoses import hostile_diagnosis
from report.samples import BROKEN, hostile

from fitguard.report.html import page

CHROMIUM = shutil.which("chromium") or "chromium"
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND",
)
ATTACKS = (
    "<script>document.title='owned'</script>",
    "<img src=x onerror=\"document.title='owned'\">",
    "</style></pre><svg onload=\"document.title='owned'\">",
    "'\"><iframe srcdoc=\"<script>parent.document.title='owned'</script>\">",
)


def rendered(html: str, folder) -> str:
    """The page as the browser has it after all scripts ran."""
    file = folder / "report.html"
    file.write_text(html, encoding="utf-8")
    command = [CHROMIUM, *FLAGS, f"--user-data-dir={folder}/profile", "--dump-dom", file.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    return done.stdout


@pytest.mark.parametrize("attack", ATTACKS)
def test_hostile_text_runs_nothing(attack, tmp_path):
    dom = rendered(page(hostile(attack)), tmp_path)
    assert "<title>fitguard doctor" in dom
    # As text, a browser writes these three back as entities, and a quote as it is.
    shown = attack.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    assert f"<h3>{shown}</h3>" in dom
    assert f'<div class="quoted">{shown}</div>' in dom
    assert "<title>owned" not in dom


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_hostile_log_runs_nothing(attack, tmp_path):
    dom = rendered(page(hostile_diagnosis(f"`{attack}`")), tmp_path)
    assert "<title>fitguard diagnosis" in dom
    shown = attack.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    assert f'<div class="quoted">`{shown}`</div>' in dom
    assert f"<code>{shown}</code>" in dom
    assert "<title>owned" not in dom


def test_findings_are_shown(tmp_path):
    dom = rendered(page(BROKEN), tmp_path)
    for finding in BROKEN.findings:
        assert finding.code in dom
