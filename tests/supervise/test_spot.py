"""Notices of clouds, from a real HTTP server that answers as their metadata services do."""

import json
import threading
import time
from datetime import UTC, datetime
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from programs import wait_for
from supervise.parents import UNTIL_TOLD, Parent

from fitguard.supervise.spot import METADATA_URL, Notice, watching_spot

TOKEN = "a-token"
AZURE = "/metadata/scheduledevents?api-version=2020-07-01"
NAME = "/metadata/instance/compute/name?api-version=2021-02-01&format=text"


class Metadata(ThreadingHTTPServer):
    """Answers by path; what is not there is not found."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers = {}
        self.asked = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def address(self):
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    def do_PUT(self):
        good = "X-aws-ec2-metadata-token-ttl-seconds" in self.headers
        self.answer(TOKEN if good and self.path == "/latest/api/token" else None)

    def do_GET(self):
        self.server.asked.append(self.path)
        known = {
            "X-aws-ec2-metadata-token": TOKEN,
            "Metadata-Flavor": "Google",
            "Metadata": "true",
        }
        allowed = any(self.headers.get(name) == value for name, value in known.items())
        self.answer(self.server.answers.get(self.path) if allowed else None)

    def answer(self, text):
        self.send_response(404 if text is None else 200)
        self.end_headers()
        self.wfile.write((text or "").encode())

    def log_message(self, *_):
        pass


@pytest.fixture
def metadata(monkeypatch):
    with Metadata() as server:
        monkeypatch.setenv(METADATA_URL, server.address)
        monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
        monkeypatch.setattr("fitguard.supervise.spot._EVERY_SECONDS", 0.05)
        yield server
        server.shutdown()


def aws(moment):
    time_told = datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {
        "/latest/meta-data/spot/instance-action": json.dumps(
            {"action": "terminate", "time": time_told}
        )
    }


def azure(moment, machine="vm-1", kind="Preempt"):
    told = format_datetime(datetime.fromtimestamp(moment, UTC), usegmt=True)
    event = {"EventType": kind, "NotBefore": told, "Resources": [machine]}
    return {AZURE: json.dumps({"Events": [event]}), NAME: "vm-1"}


GCP = {"/computeMetadata/v1/instance/preempted": "TRUE"}
MOMENT = 1_794_700_000.0


@pytest.mark.parametrize(
    ("cloud", "answers", "expected"),
    [
        ("aws", aws(MOMENT), Notice("AWS will terminate this machine at 23:46:40 UTC", MOMENT)),
        ("gcp", GCP, Notice("Google takes this machine back now")),
        ("azure", azure(MOMENT), Notice("Azure takes this machine back at 23:46:40 UTC", MOMENT)),
    ],
)
def test_a_notice(metadata, cloud, answers, expected):
    told = []
    with watching_spot(cloud, told.append, print) as watch:
        wait_for(lambda: metadata.asked)
        assert told == []
        metadata.answers = answers
        wait_for(lambda: told)
    assert told == [expected]
    assert watch.notice == expected


@pytest.mark.parametrize(
    ("cloud", "answers"),
    [
        ("gcp", {"/computeMetadata/v1/instance/preempted": "FALSE"}),
        ("azure", {AZURE: '{"DocumentIncarnation": 1, "Events": []}'}),
        ("azure", azure(MOMENT, machine="vm-2")),
        ("azure", azure(MOMENT, kind="Freeze")),
    ],
)
def test_what_is_no_notice(metadata, cloud, answers):
    metadata.answers = answers
    told = []
    with watching_spot(cloud, told.append, print):
        wait_for(lambda: len(metadata.asked) > 4)
    assert told == []


@pytest.mark.parametrize("answer", ["{", "[]", '{"action": "stop"}', "\x00"])
def test_an_answer_that_makes_no_sense_is_said_once(metadata, answer):
    metadata.answers = {"/latest/meta-data/spot/instance-action": answer}
    said = []
    with watching_spot("aws", print, said.append):
        wait_for(lambda: len(metadata.asked) > 3)
    assert len(said) == 1
    assert "cannot be asked for notices" in said[0]


def test_nobody_is_asked_where_there_is_no_cloud(monkeypatch):
    monkeypatch.setattr("fitguard.supervise.spot._VENDORS", {})
    said = []
    with watching_spot("auto", print, said.append) as watch:
        assert watch is None
    assert "not of AWS, Google or Azure" in said[0]
    with watching_spot("off", print, print) as watch:
        assert watch is None


def test_a_run_leaves_with_a_snapshot_and_the_time_that_is_there(tmp_path, metadata):
    parent = Parent(tmp_path, UNTIL_TOLD, spot="aws")
    parent.until("step 3")
    metadata.answers = aws(time.time() + 300)
    assert parent.ended() == 75
    assert parent.run()["state"] == "preempted"
    assert "fitguard: AWS will terminate this machine at" in parent.err
    seconds = float(parent.err.partition("stops, within ")[2].partition(" s")[0])
    assert 100 < seconds < 296
