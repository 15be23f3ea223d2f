"""`--notify`: real commands, a real HTTP server, and ones that hang."""

import json
import signal
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from programs import is_alive, wait_for
from supervise.parents import Parent

from fitguard.monitor.heartbeat import Heartbeat
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.journal import Alerted, AttemptEnded, AttemptStarted, Decided, Orders, RunEnded
from fitguard.schema.notice import RunNotice
from fitguard.schema.run import Place
from fitguard.supervise.notice_targets import Undelivered, _format_body, post_notice, read_targets
from fitguard.supervise.notices import NoticeWriter
from fitguard.supervise.notifying import sending_notices

DIES_ONCE = """
import os, signal
print(os.environ.get("HOOK"), flush=True)
for step in training.steps(30):
    if step == 3: training.save()
    if step == 10 and training.attempt == 1: os.kill(os.getpid(), signal.SIGSEGV)
"""
SECRET = "hf_0123456789abcdefghij"
PATH = "/services/T000/B000/secretsecret"


class Webhook(ThreadingHTTPServer):
    """Keeps what it is sent; answers with what it is told to, one after the other."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers = []
        self.taken = []
        self.seconds = 0.0
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def address(self):
        return f"http://127.0.0.1:{self.server_port}{PATH}"


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        time.sleep(self.server.seconds)
        body = self.rfile.read(int(self.headers["Content-Length"]))
        code = self.server.answers.pop(0) if self.server.answers else 200
        if code == 200:
            self.server.taken.append(json.loads(body))
        self.send_response(code)
        self.send_header("Location", "/elsewhere")
        self.end_headers()

    def log_message(self, *_):
        pass


@pytest.fixture
def webhook():
    server = Webhook()
    yield server
    server.shutdown()
    server.server_close()


def build_notice(**fields):
    return RunNotice(event="finished", run="night-1", time=0.0, text="It finished.", **fields)


def tell(target, notices, say, seconds=30.0):
    """Hand notices over as a run does."""

    class Writer(NoticeWriter):
        def take(self, event):
            return event

    with sending_notices([target], Writer("", (), 0.0), say, lambda _: None) as notifier:
        for notice in notices:
            notifier.take(notice)
        notifier.finish(seconds)


def test_a_death_and_the_end_are_told_to_command_and_webhook_without_secrets(
    tmp_path, webhook, monkeypatch
):
    monkeypatch.setenv("HOOK", webhook.address)
    command = 'cat >> told; echo "$FITGUARD_NOTICE_EVENT: $FITGUARD_NOTICE_TEXT" >> words'
    words = ("--token", SECRET)
    parent = Parent(tmp_path, DIES_ONCE, *words, notify=[command, webhook.address])
    assert parent.ended() == 0, parent.err
    told = [json.loads(line) for line in (tmp_path / "told").read_text().splitlines()]
    assert told == webhook.taken
    assert [one["event"] for one in told] == ["restart", "finished"]
    died, finished = told
    assert died["schema"] == "fitguard/notice/1"
    assert died["run"] == parent.run_folder.name
    assert (died["outcome"], died["attempt"]) == ("crashed", 1)
    assert died["text"].startswith("Attempt 1 crashed with SIGSEGV after step")
    assert "from the snapshot after step 3" in died["text"]
    assert died["command"][-1] == "<secret>"
    assert finished["text"].endswith("and 2 attempts.")
    assert (finished["outcome"], finished["exit_code"]) == ("finished", 0)
    assert (tmp_path / "words").read_text().startswith("restart: Attempt 1 crashed")
    assert SECRET not in str(told)
    assert "secretsecret" not in str(told)
    assert "failed" not in parent.err
    for file in ("run.json", "journal.jsonl", "orders.json"):
        assert "secretsecret" not in (parent.run_folder / file).read_text()


def test_who_hangs_costs_the_training_nothing_and_the_end_a_bounded_wait(tmp_path, webhook):
    webhook.seconds = 1000.0
    command = "echo $$ > told; exec sleep 1000"
    hangs = [command, webhook.address]
    parent = Parent(tmp_path, DIES_ONCE.replace("30", "10_000_000"), notify=hangs, grace_seconds=1)
    wait_for((tmp_path / "told").exists)
    wait_for(lambda: parent.run()["attempts"][-1]["number"] == 2)
    wait_for(lambda: Heartbeat(parent.run_folder / "heartbeat").read().place.step > 20)
    parent.process.send_signal(signal.SIGTERM)
    assert parent.ended() == 75
    assert parent.err.count("(a command) failed: the run ended before it was done") == 1
    assert parent.err.count("(a webhook) failed: ") == 1
    assert not is_alive(int((tmp_path / "told").read_text()))


def test_a_command_that_fails_is_said_once_and_its_secrets_are_not():
    said = []
    tell(f"echo cannot log in with {SECRET}; exit 3", [build_notice()] * 3, said.append)
    assert len(said) == 1
    assert "--notify target 1 (a command) failed: exit code 3. cannot log in with <sec" in said[0]


def test_a_function_may_be_told():
    told = []
    tell(told.append, [build_notice(), build_notice(attempt=2)], pytest.fail)
    assert [notice.attempt for notice in told] == [0, 2]


def test_a_webhook_that_is_down_for_a_while_gets_it_later(webhook, monkeypatch):
    monkeypatch.setattr("fitguard.supervise.notifying._FIRST_PAUSE_SECONDS", 0.01)
    webhook.answers = [503, 429]
    said = []

    class Writer(NoticeWriter):
        def take(self, event):
            return event

    writer = Writer("", (), 0.0)
    with sending_notices([webhook.address], writer, said.append, lambda _: None) as notifier:
        notifier.take(build_notice())
        wait_for(lambda: webhook.taken)
    assert [one["text"] for one in webhook.taken] == ["It finished."]
    assert len(said) == 1
    assert "target 1 (a webhook) failed: it answered with HTTP status 503." in said[0]


@pytest.mark.parametrize("code", [302, 308, 403])
def test_it_goes_nowhere_else_and_no_address_is_shown(webhook, code):
    webhook.answers = [code]
    with pytest.raises(Undelivered) as raised:
        post_notice(webhook.address, build_notice())
    assert str(raised.value) == f"it answered with HTTP status {code}"
    assert not raised.value.later


@pytest.mark.parametrize("host", ["127.0.0.1:1", "no-such-host.invalid", "[::1"])
def test_what_goes_wrong_is_said_without_the_address(host):
    address = f"https://{host}{PATH}"
    if host == "[::1":
        with pytest.raises(UsageError, match="begins with https://") as raised:
            read_targets([address])
    else:
        with pytest.raises(Undelivered) as raised:
            post_notice(address, build_notice())
    assert "secret" not in str(raised.value)
    assert "no-such-host" not in str(raised.value)


@pytest.mark.parametrize("given", ["", " ", "ftp://secret/x", "https:///secret", "https://h/a b"])
def test_targets_that_cannot_be(given):
    with pytest.raises(UsageError, match="Expected") as raised:
        read_targets([given])
    assert "secret" not in str(raised.value)


def test_slack_gets_its_own_form_and_nobody_is_called_by_a_log():
    notice = build_notice(why="<!channel> & more")
    body = json.loads(_format_body("https://hooks.slack.com/services/x", notice))
    assert body == {"text": "night-1: It finished.\n&lt;!channel&gt; &amp; more"}
    assert json.loads(_format_body("https://discord.com/api/webhooks/1/a/slack", notice)) == body
    assert json.loads(_format_body("https://example.org/", notice))["schema"] == "fitguard/notice/1"


def test_each_death_is_one_notice():
    writer = NoticeWriter("night-1", (), 0.0)
    orders = Orders()
    events = [
        AttemptStarted(time=1, attempt=1, pid=1, orders=orders),
        AttemptEnded(time=2, attempt=1, outcome="killed", cause="host-oom", why="It grew."),
        Decided(time=2, attempt=1, action="restart", text="Again."),
        AttemptStarted(time=3, attempt=2, pid=2, orders=orders),
        AttemptEnded(time=4, attempt=2, outcome="killed", cause="host-oom", why="It grew."),
        Decided(time=4, attempt=2, action="stop", text="fitguard stops here."),
        RunEnded(time=4, state="stopped", exit_code=137),
    ]
    notices = [notice for event in events if (notice := writer.take(event)) is not None]
    assert [(one.event, one.attempt, one.cause, one.text) for one in notices] == [
        ("restart", 1, "host-oom", "Again."),
        ("gave-up", 2, "host-oom", "fitguard stops here."),
    ]
    assert notices[-1].exit_code == 137


def test_an_alert_is_told_with_its_numbers():
    alert = Alerted(
        time=1,
        attempt=2,
        code="FG410",
        slug="gpu-memory-leak",
        severity="warning",
        title="Memory grows",
        text="12 MB per 1,000 steps.",
        place=Place(fit=1, total_steps=320),
    )
    notice = NoticeWriter("night-1", (), 0.0).take(alert)
    assert (notice.event, notice.code, notice.severity) == ("alert", "FG410", "warning")
    assert notice.text == "Memory grows. 12 MB per 1,000 steps."
    assert notice.place.total_steps == 320


def test_of_many_that_wait_the_newest_are_kept(webhook):
    webhook.seconds = 0.05
    tell(webhook.address, [build_notice(attempt=number) for number in range(100)], lambda _: None)
    told = [one["attempt"] for one in webhook.taken]
    assert len(told) <= 21
    assert told[-1] == 99
