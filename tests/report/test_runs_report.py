"""The page of all runs: what came of them, on which card they were, what ended them."""

import re

import msgspec
import pytest
from report.made_fleets import DONE_FLEET
from report.made_nights import A100, DONE_NIGHT, H200, NIGHT, long_night

from fitguard.report.charts.placements import MOST_BARS, NO_CARD, draw_placements
from fitguard.report.formats.html import to_html
from fitguard.report.formats.markdown import to_markdown
from fitguard.report.formats.text import to_text
from fitguard.report.pages.runs_report import MOST_ATTEMPTS, MOST_RUNS
from fitguard.report.privacy.redaction import redact
from fitguard.schema.fleet import FleetTraining
from fitguard.schema.runs_report import RunsReport


def bars(drawing):
    return [shape for shape in drawing.shapes if shape.tag == "rect"]


def said_on(drawing):
    return [shape.words for shape in drawing.shapes if shape.tag == "text"]


def text_of(report, **options):
    return to_text(report, columns=160, **options)


def test_those_that_did_not_finish_come_first_with_the_reason():
    text = text_of(NIGHT)
    assert text.startswith("✖ 1 run did not finish · 1 stopped · 2 finished")
    runs = text.partition("\nRuns\n")[2]
    assert re.findall(r"^  (stopped|survived|plain)\b", runs, re.MULTILINE)[:3] == [
        "stopped",
        "plain",
        "survived",
    ]
    last = NIGHT.runs[2].decisions[-1].text
    assert last[:60] in " ".join(text.split())
    assert "Could not be read" in text


def test_memory_cards_and_faults_of_each():
    (row,) = re.findall(r"^  survived .*", text_of(NIGHT), re.MULTILINE)
    assert "13.0 GiB" in row
    assert "9.0 GiB" in row
    assert "gpu-1/0, gpu-2/3" in row


def test_what_ended_each_attempt_is_said_as_in_the_report_of_the_run():
    page = to_html(NIGHT)
    assert "Attempt 2: killed by SIGKILL · host-oom" in page
    assert "The kernel killed the process for lack of memory." in page
    assert "fitguard report /shared/runs/survived" in page
    assert "fitguard report /shared/runs/survived" in to_markdown(NIGHT)
    assert "fitguard report /shared/runs/survived" in text_of(NIGHT, verbose=True)


def test_a_row_for_each_card_and_a_bar_for_each_attempt_on_it():
    drawing = draw_placements(NIGHT.runs)
    assert len(bars(drawing)) == sum(len(run.attempts) for run in NIGHT.runs)
    assert {H200, A100} <= set(said_on(drawing))
    faults = [shape for shape in drawing.shapes if shape.kind == "fault"]
    assert len(faults) == 3
    assert "on 2 cards" in drawing.description
    assert "A dot marks a fault: 3." in drawing.description


def test_attempts_on_one_card_at_once_do_not_lie_over_one_another():
    drawing = draw_placements(long_night(3, 2).runs)
    places = [(shape.at["x"], shape.at["y"]) for shape in bars(drawing)]
    assert len(set(places)) == 6


def test_runs_without_a_fleet_tell_of_no_card():
    drawing = draw_placements(DONE_NIGHT.runs)
    assert NO_CARD in said_on(drawing)
    assert "no run tells of a card" in drawing.description
    assert draw_placements(()) is None


def test_times_that_no_clock_has():
    run = NIGHT.runs[0]
    odd = tuple(
        msgspec.structs.replace(run.attempts[0], started=started, ended=ended)
        for started, ended in ((float("inf"), 1.0), (-1e300, 1e300), (5.0, -5.0), (0.0, None))
    )
    page = to_html(RunsReport(folder="runs", runs=(msgspec.structs.replace(run, attempts=odd),)))
    assert "nan" not in page.partition("<svg")[2].partition("</svg>")[0]


def test_what_is_left_out_is_said():
    night = long_night(MOST_RUNS + 2, MOST_ATTEMPTS + 1)
    page = to_html(night)
    assert "2 more runs: <code>fitguard report runs/ID</code> shows one." in page
    assert f"The newest {MOST_ATTEMPTS} attempts; 1 came before." in page
    assert f"Only the newest {MOST_BARS:,} are drawn." in page
    assert len(bars(draw_placements(night.runs))) == MOST_BARS


@pytest.mark.parametrize("written", [to_html, to_markdown, text_of])
def test_names_of_hosts_are_numbered(written):
    shown = written(redact(NIGHT, home="/home/ann", user="ann", host="laptop"))
    assert "gpu-1" not in shown
    assert "gpu-2" not in shown
    assert re.search(r"(<|&lt;|\\<)host-1>?", shown)
    assert "host-2" in shown


def test_the_page_of_a_fleet_leads_there():
    assert "`fitguard report /shared/runs`" in text_of(DONE_FLEET)
    failed = msgspec.structs.replace(
        DONE_FLEET,
        trainings=(FleetTraining(name="c", state="failed", why="It is nan.", run="c", starts=1),),
    )
    assert "c: It is nan. More: `fitguard report /shared/runs/c`" in text_of(failed)
