"""The page in a real browser: drawn, live, readable, and no larger after hundreds of looks."""

import time

import pytest
from programs import wait_for
from report.test_html_in_browser import ATTACKS
from watching.web.browser import Browser
from watching.web.served import running_run, serving

from fitguard.monitor.heartbeat import OwnHeartbeat

SAID = "document.querySelector('#connection')?.innerText ?? ''"


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with Browser(tmp_path_factory.mktemp("browser")) as opened:
        yield opened


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    output = "".join(ATTACKS) + "a" * 400 + "\n" * 2
    folder = tmp_path_factory.mktemp("runs")
    with running_run(folder, output=output, command=("train.py", ATTACKS[1])) as made:
        yield made


@pytest.fixture(scope="module")
def served(run):
    with serving(run.path.parent.parent, "--every", "0.05") as served:
        yield served


def wait_until_live(browser):
    wait_for(lambda: browser.ask(SAID).startswith("Live"))


def test_it_is_drawn_live_and_runs_nothing_foreign(browser, served, run):
    browser.open(served.address)
    wait_until_live(browser)
    assert browser.ask("document.querySelectorAll('svg.curve path').length") >= 8
    assert browser.ask("document.querySelectorAll('script').length") == 1
    assert "<script>document.title='owned'" in browser.ask("document.body.innerText")
    heartbeat = OwnHeartbeat(run.heartbeat)
    heartbeat.beat("training", 1, 7, 33, 2833)
    title = "document.title"
    wait_for(lambda: browser.ask(title).startswith("Running: epoch 8 of 50, step 33 of 400"))


@pytest.mark.parametrize("width", [400, 1500])
@pytest.mark.parametrize("dark", [False, True])
def test_it_is_readable_wide_and_narrow_in_light_and_dark(browser, served, width, dark):
    browser.open(served.address, width, dark=dark)
    wait_until_live(browser)
    page = "document.documentElement"
    assert browser.ask(f"{page}.scrollWidth - {page}.clientWidth") == 0
    style = "getComputedStyle(document.querySelector('main'))"
    ink, paper = (browser.ask(f"{style}.{name}") for name in ("color", "backgroundColor"))
    assert contrast(ink, paper) > 7


def contrast(*colors):
    """As WCAG counts it."""

    def light(color):
        parts = [int(part) / 255 for part in color[4:-1].split(",")]
        linear = [p / 12.92 if p <= 0.04 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2] + 0.05

    low, high = sorted(map(light, colors))
    return high / low


@pytest.mark.parametrize("looks", [60, pytest.param(3600, marks=pytest.mark.soak)])
def test_a_page_that_is_left_open_does_not_grow(browser, served, run, looks):
    browser.open(served.address)
    wait_until_live(browser)
    browser.ask("globalThis.looks = 0; source.addEventListener('page', () => { looks += 1; })")
    heartbeat = OwnHeartbeat(run.heartbeat)

    def count_after(number):
        step = 0
        while browser.ask("looks") < number:
            step += 1
            heartbeat.beat("training", 1, 0, step, step)
            time.sleep(0.02)
        browser.send("HeapProfiler.collectGarbage")
        counted = browser.send("Memory.getDOMCounters")
        heap = browser.send("Runtime.getHeapUsage")["usedSize"]
        return counted["nodes"], counted["jsEventListeners"], heap

    nodes, listeners, heap = count_after(20)
    later = count_after(looks)
    assert later[0] <= nodes * 1.1
    assert later[1] <= listeners
    assert later[2] <= heap * 1.2 + (1 << 20)


def test_what_was_opened_stays_open(browser, served):
    browser.open(served.address)
    wait_until_live(browser)
    opened = "[...document.querySelectorAll('details')].map((one) => one.open)"
    browser.ask("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    browser.ask("globalThis.looks = 0; source.addEventListener('page', () => { looks += 1; })")
    wait_for(lambda: browser.ask("looks") > 10)
    assert all(browser.ask(opened))


def test_the_end_of_the_server_is_said(browser, served):
    browser.open(served.address)
    wait_until_live(browser)
    served.process.kill()
    wait_for(lambda: browser.ask(SAID).startswith("Connection lost"))
