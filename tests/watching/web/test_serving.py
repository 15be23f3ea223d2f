"""The page over real HTTP: who may see it, what it says, how it ends."""

import itertools
import re
import shutil
import signal
import socket
import subprocess
import sys

import pytest
from cli.process import fitguard
from report.test_html_in_browser import ATTACKS
from watching.made_folder import make_folder
from watching.web.served import ID, Served, running_run, serving

from fitguard.monitor.journal import Journal, now
from fitguard.schema.journal import Alerted

MOST_PAGES = 300


@pytest.fixture
def run(tmp_path):
    with running_run(tmp_path) as made:
        yield made


@pytest.fixture
def served(run):
    return Served(run.path.parent.parent, "--every", "0.1")


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """For those who only ask."""
    folder = tmp_path_factory.mktemp("shared")
    with running_run(folder, output="".join(ATTACKS) + "\x1b[2J\n"), serving(folder) as served:
        yield served


def test_the_address_is_on_the_loopback_and_has_a_token(shared):
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?token=[\w-]{22}", shared.address)
    page = shared.get()
    assert page.status_code == 200
    assert "epoch 2 of 50, step 140 of 400" in page.text
    for title in ("Memory by phase of the step", "Speed", "Attempts over time", "Memory"):
        assert f"<h3>{title}</h3>" in page.text


@pytest.mark.parametrize("path", ["", "stream"])
@pytest.mark.parametrize("token", ["", "x", "ä", "\udcff"])
def test_without_the_token_nothing_is_shown(shared, path, token):
    refused = shared.get(path, token=token.encode("utf-8", "replace").decode())
    assert refused.status_code == 403
    assert refused.text.startswith("The token in the address is missing or wrong. Open the address")
    assert ID not in refused.text


@pytest.mark.parametrize("name", ["nothere", "../..", "/etc", "x" * 5000, "%00", "."])
def test_only_runs_of_the_folder_are_shown(shared, name):
    for path in ("", "stream"):
        assert shared.get(path, run=name).status_code == 404


def test_nothing_foreign_runs_or_is_loaded(shared):
    page = shared.get()
    policy = page.headers["content-security-policy"]
    nonce = re.search(r"script-src 'nonce-([\w-]+)'", policy)[1]
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    assert re.findall(r"<script[^>]*>", page.text) == [f'<script nonce="{nonce}">']
    assert not re.search(r"https?:|@import|url\(|<link|<img|\sstyle=|\son\w+=[\"']", page.text)
    assert shared.get().headers["content-security-policy"] != policy
    assert page.headers["cache-control"] == "no-store"
    assert page.headers["referrer-policy"] == "no-referrer"
    assert "\x1b" not in page.text
    assert "&lt;script&gt;document.title" in page.text


def test_the_stream_sends_what_is_new(served, run):
    pages = served.stream()
    first = next(pages)
    assert first["title"].startswith("Running: epoch 2 of 50")
    assert [place for place, _ in first["changed"]] == list(range(len(first["names"])))
    about = {"code": "FG410", "slug": "leak", "severity": "warning", "title": "New", "text": "B"}
    Journal(run.journal).append(Alerted(time=now(), attempt=2, **about))
    for page in itertools.islice(pages, MOST_PAGES):
        if any("<h3>New</h3>" in html for _, html in page["changed"]):
            break
        assert len(page["changed"]) < len(first["names"])
    assert "now Alerts" in page["names"]


def test_a_run_that_vanishes_is_said(served, run):
    pages = served.stream()
    next(pages)
    shutil.rmtree(run.path)
    for page in itertools.islice(pages, MOST_PAGES):
        if any("it is not there any more" in html for _, html in page["changed"]):
            break
    else:
        pytest.fail("nothing was said")
    assert served.process.poll() is None


def test_ten_runs_at_once(run):
    names = [f"2025110{day}-100000-train-bbbb" for day in range(1, 10)]
    for name in names:
        make_folder(run.path.with_name(name), seconds=20)
    served = Served(run.path.parent.parent)
    page = served.get()
    for name in names:
        assert f'">{name}</a>' in page.text
    other = served.get(run=names[0])
    assert f"<strong>{names[0]}</strong>" in other.text
    assert "Finished: epoch" in other.text


def test_ctrl_c_ends_it_also_while_somebody_looks(served):
    pages = served.stream()
    next(pages)
    served.process.send_signal(signal.SIGINT)
    _, complaints = served.process.communicate(timeout=60)
    assert served.process.returncode == 0
    assert complaints == (
        "fitguard: Open this address in your browser. Ctrl-C ends the page, never the training\n"
    )


@pytest.mark.usefixtures("run")
def test_a_port_that_is_taken_or_none(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = fitguard("watch", "--web", "--port", port, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith(
        f"fitguard: Received --host 127.0.0.1 --port {port}: Address already in use. Expected an"
    )
    for wrong in ("70000", "-1"):
        done = fitguard("watch", "--web", f"--port={wrong}", cwd=tmp_path)
        assert done.returncode == 2
        assert f"Received --host 127.0.0.1 --port {wrong}: " in done.stderr


@pytest.mark.usefixtures("run")
@pytest.mark.parametrize("missing", ["uvicorn", "starlette"])
def test_without_the_extra_it_says_what_to_install(missing, tmp_path):
    source = (
        f"import sys; sys.modules[{missing!r}] = None\n"
        "from fitguard.cli.main import run; sys.exit(run(['watch', '--web']))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", source], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr == (
        f"fitguard: Received --web, but {missing} is not installed. Expected `pip install "
        '"fitguard[web]"`\n'
    )
