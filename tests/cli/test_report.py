"""`fitguard runs` and `fitguard report`, as commands on real run folders."""

import json
import re

import jsonschema
import pytest
from cli.process import fitguard
from monitor.journal_of import JournalOf, at

from fitguard.monitor.journal import Journal
from fitguard.report.json_schemas import json_schema
from fitguard.schema.journal import Logged, RunEnded

ID = "20251115-100000-train-aaaa"


@pytest.fixture
def folder(tmp_path):
    """A working directory with one run, which was killed once and then finished."""
    journal = JournalOf().run(id=ID).start(0)
    journal.tell(Logged, place=at(5), logs={"loss": 0.75}).save(5)
    journal.end("killed", 7, signal="SIGKILL", cause="host-oom", evidence=("<b>Killed\x1b[2J",))
    journal.start(5).tell(Logged, place=at(40), logs={"loss": 0.25}, epoch_end=True)
    journal.end("finished", 40).tell(RunEnded, state="finished", exit_code=0)
    made = tmp_path / "fitguard-runs" / ID
    made.mkdir(parents=True)
    for event in journal.events:
        assert Journal(made / "journal.jsonl").append(event)
    return tmp_path


def test_a_report_is_a_summary_and_a_page_beside_the_journal(folder):
    run = fitguard("report", cwd=folder)
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("✔ Finished after 2 attempts; 1 crash survived; 2 of 40 steps")
    assert "<b>Killed\\x1b[2J" in run.stdout
    assert run.stderr == f"fitguard: page: fitguard-runs/{ID}/report.html\n"
    page = (folder / "fitguard-runs" / ID / "report.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert "&lt;b&gt;Killed\\x1b[2J" in page


def test_a_format_that_is_asked_for_is_all(folder):
    run = fitguard("report", "aaaa", "--format", "json", cwd=folder)
    assert run.stderr == ""
    document = json.loads(run.stdout)
    jsonschema.Draft202012Validator(json_schema("run")).validate(document)
    assert [attempt["outcome"] for attempt in document["attempts"]] == ["killed", "finished"]
    assert not (folder / "fitguard-runs" / ID / "report.html").exists()


def test_the_page_goes_where_it_is_told_to(folder):
    run = fitguard("report", f"fitguard-runs/{ID}", "--output", "x.html", cwd=folder)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
    assert "<h3>Attempts over time</h3>" in (folder / "x.html").read_text(encoding="utf-8")


def test_a_folder_of_runs_is_one_page_of_all(folder):
    (folder / "fitguard-runs" / "broken").mkdir()
    (folder / "fitguard-runs" / "broken" / "journal.jsonl").write_bytes(b"\0\x1b[2J")
    run = fitguard("report", "fitguard-runs", cwd=folder)
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("✔ All finished: 1 run")
    assert "no line of it is an event" in " ".join(run.stdout.split())
    assert run.stderr == "fitguard: page: fitguard-runs/report.html\n"
    page = (folder / "fitguard-runs" / "report.html").read_text(encoding="utf-8")
    assert "Attempt 1: killed by SIGKILL · host-oom" in page
    assert "&lt;b&gt;Killed\\x1b[2J" in page


def test_all_runs_as_json(folder):
    run = fitguard("report", "fitguard-runs", "--format", "json", cwd=folder)
    document = json.loads(run.stdout)
    jsonschema.Draft202012Validator(json_schema("runs-report")).validate(document)
    assert [one["outcome"] for one in document["runs"][0]["attempts"]] == ["killed", "finished"]
    assert not (folder / "fitguard-runs" / "report.html").exists()


def test_a_folder_without_runs(folder):
    run = fitguard("report", ".", cwd=folder)
    assert run.returncode == 2
    assert "Received ., which holds no runs. Expected a run, its folder" in run.stderr


def test_a_page_that_cannot_be_written_costs_the_page_alone(folder):
    (folder / "fitguard-runs" / ID / "report.html").mkdir()
    run = fitguard("report", "last", cwd=folder)
    assert run.returncode == 0
    assert run.stdout.startswith("✔ Finished after 2 attempts")
    assert "the page could not be written into fitguard-runs/" in run.stderr


def test_a_document_alone_gets_no_page(folder):
    document = fitguard("report", "--format", "json", cwd=folder).stdout
    (folder / "sent.json").write_text(document, encoding="utf-8")
    run = fitguard("report", "sent.json", cwd=folder)
    assert run.stdout.startswith("✔ Finished after 2 attempts")
    assert run.stderr == ""


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["zzz"], 2, f"Received zzz, which is no run in fitguard-runs. Expected `last`, the folder "
         f"of a run, or an id: {ID}"),
        (["last", "--runs-folder", "nowhere"], 2, "but there are no runs in nowhere"),
        (["last", "--runs", "nowhere"], 2, "but there are no runs in nowhere"),
        (["last", "--format", "sarif"], 2, "Received --format sarif for fitguard/run/1"),
        (["broken.json"], 5, "broken.json: "),
    ],
)  # fmt: skip
def test_wrong_usage(folder, arguments, code, told):
    (folder / "broken.json").write_text("{", encoding="utf-8")
    run = fitguard("report", *arguments, cwd=folder)
    assert run.returncode == code, run.stderr
    assert told in run.stderr
    assert run.stdout == ""


def test_runs_are_listed(folder):
    run = fitguard("runs", cwd=folder)
    assert run.returncode == 0, run.stderr
    title, _, headers, line = run.stdout.splitlines()
    assert title == "● 1 run in fitguard-runs"
    assert "last failure" in headers
    assert "  finished  host-oom" in line


def test_the_list_as_json(folder):
    run = fitguard("runs", "--format", "json", "--runs-folder", "fitguard-runs", cwd=folder)
    document = json.loads(run.stdout)
    jsonschema.Draft202012Validator(json_schema("runs")).validate(document)
    assert document["schema"] == "fitguard/runs/1"
    assert [(line["steps"], line["loss"]) for line in document["runs"]] == [(40, 0.25)]


def test_the_list_as_a_page_links_to_the_pages_of_runs(folder):
    run = fitguard("runs", "--output", "runs.html", cwd=folder)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
    page = (folder / "runs.html").read_text(encoding="utf-8")
    (link,) = re.findall(r'href="([^"]*)"', page)
    assert "<h1>fitguard run</h1>" in (folder / link).read_text(encoding="utf-8")


def test_no_runs(tmp_path):
    run = fitguard("runs", cwd=tmp_path)
    assert run.returncode == 0
    assert run.stdout == "● No runs in fitguard-runs. `fitguard run train.py` starts one.\n"
