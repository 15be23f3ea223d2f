"""`fitguard probe --level long` as a whole: real processes, real signals, a bit that is wrong."""

import json
import os
import re
import signal
import sys
from pathlib import Path

import msgspec
import pytest
from programs import is_alive, left_of, start, wait_for
from supervise.story import Story, end

import fitguard
from fitguard.cli.run_alive import describe_alive, describe_cut_off
from fitguard.monitor.flight_recorder import FlightRecorder
from fitguard.monitor.run_folder import RunFolder
from fitguard.probes.devices import list_devices
from fitguard.report.rows.run_words import advice, choose_tone, verdict
from fitguard.schema.exit_codes import UnreadableInput, UsageError
from fitguard.schema.journal import RunEnded
from fitguard.schema.run import Attempt, Place
from fitguard.schema.run_command import describe_resume, read_only
from fitguard.supervise import hang, soak_report, soaking
from fitguard.supervise.guarding import guard
from fitguard.supervise.notices import NoticeWriter
from fitguard.supervise.options import RunOptions
from fitguard.supervise.soak_notes import list_notes
from fitguard.supervise.soak_progress import VersionChange, read_progress
from fitguard.supervise.surroundings import describe_surroundings
from fitguard.supervise.telling import describe_run

NAME = "night"
COMMAND = ("fitguard", "probe", "--level", "long", "--device", "all")
FEW = ("--only", "matmul-float32", "integers", "memory")


class Soaking:
    """The real command in a folder of its own."""

    def __init__(self, place, *words, fault=""):
        self.folder = RunFolder(place / "fitguard-runs" / NAME)
        self.process = start(
            [sys.executable, "-m", "fitguard", "probe", "--level", "long", "--format", "json",
             *words],
            cwd=place, env={**os.environ, "FITGUARD_PROBE_FAULT": fault},
            stdout=(place / "answer.json").open("wb"), stderr=(place / "told").open("wb"),
        )  # fmt: skip
        self._place = place

    def reach(self, number):
        """Wait until it has computed so many, and they are written down."""
        wait_for(lambda: self.folder.soak.exists() and self.progress["number"] >= number)
        return self.progress["number"]

    @property
    def progress(self):
        return json.loads(self.folder.soak.read_text())

    @property
    def child(self):
        events = map(json.loads, filter(None, self.folder.journal.read_text().split("\n")))
        return [event["pid"] for event in events if event["event"] == "attempt-started"][-1]

    @property
    def told(self):
        return (self._place / "told").read_text()

    def finish(self):
        """Its exit code and its answer; nothing of it is left."""
        code = self.process.wait(300)
        assert left_of(self.process.pid) == []
        return code, json.loads((self._place / "answer.json").read_text())


def test_it_stops_when_told_goes_on_and_finds_the_flipped_bit(tmp_path):
    first = Soaking(tmp_path, "--name", NAME, *FEW)
    first.reach(20)
    os.kill(first.child, signal.SIGKILL)
    wait_for(lambda: first.progress["sessions"] == 2)
    first.process.send_signal(signal.SIGTERM)
    code, answer = first.finish()
    assert code == 0
    (killed,) = [note for note in answer["notes"] if "SIGKILL" in note]
    assert re.search(r"Process 1 was ended by SIGKILL after computation [\d,]+\. Process 2 started "
                     "then, and went on with the counts", killed)  # fmt: skip
    assert re.search(r"SIGKILL after computation [\d,]+\. It starts again, and goes on with its "
                     r"counts\.", first.told)  # fmt: skip
    assert f"to continue: fitguard probe --level long --resume {NAME}" in first.told
    run = fitguard.read_run(first.folder.path)
    assert (run.state, run.exit_code, run.command[-len(FEW) :]) == ("preempted", 0, FEW)
    assert verdict(run).startswith("Stopped as asked after 2 attempts")
    assert describe_alive(first.folder.path).primary == "none"
    assert {one["name"]: one["status"] for one in answer["results"]} == {
        "matmul-float32": "pass", "integers": "pass", "memory": "pass",
    }  # fmt: skip
    assert "the soak writes down how far it is and stops" in first.told
    before = first.progress

    killed = Soaking(tmp_path, "--resume", NAME)
    wait_for(lambda: killed.progress["number"] > before["number"])
    child = killed.child
    killed.process.kill()
    killed.process.wait()
    wait_for(lambda: not is_alive(child))
    assert killed.progress["seed"] == before["seed"]
    assert fitguard.read_run(killed.folder.path).state == "lost"

    last = Soaking(tmp_path, "--resume", *FEW, fault="soak:flip=1e-8")
    code, answer = last.finish()
    assert code == 4
    (wrong,) = [one for one in answer["results"] if one["status"] == "fail"]
    truth = re.search(r"test: bit (\d) of byte (\d+) of (\S+) is flipped in computation (\d+)",
                      last.folder.output.read_text())  # fmt: skip
    (found,) = last.progress["findings"]
    assert wrong["name"] == found["computation"] == truth[3]
    assert [found["elements"][0]["bit"] % 8, found["elements"][0]["byte"], found["number"]] == [
        int(truth[number]) for number in (1, 2, 4)
    ]
    assert "Computed again at once, it was right." in wrong["detail"]
    assert wrong["diagnosis"]["causes"][0]["cause"] == "hardware-fault"
    assert last.progress["sessions"] == 4
    assert last.progress["number"] > killed.progress["number"] - 1
    assert [one["checksum"] for one in last.progress["computations"]] == [
        one["checksum"] for one in before["computations"]
    ]

    run = fitguard.read_run(last.folder.path)
    assert (run.state, run.exit_code) == ("stopped", 4)
    assert [attempt.outcome for attempt in run.attempts] == [
        "killed", "preempted", "lost", "exited",
    ]  # fmt: skip
    (line,) = fitguard.list_runs(last.folder.path.parent).runs
    assert line.steps == last.progress["number"]


def test_a_crash_is_the_result_and_it_is_not_tried_again(tmp_path):
    code, answer = Soaking(tmp_path, "--name", NAME, fault="soak:segfault").finish()
    assert code == 4
    (result,) = answer["results"]
    assert (result["name"], result["status"]) == ("soak", "crash")
    assert result["detail"].startswith("Its process was ended by SIGSEGV")
    assert len(fitguard.read_run(tmp_path / "fitguard-runs" / NAME).attempts) == 1


def test_a_soak_that_does_not_move_is_stopped(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(soaking, "_FIRST_SECONDS", 0.5)
    monkeypatch.setattr(hang, "AT_LEAST_SECONDS", 0.5)
    report = fitguard.probe(
        level="long", name=NAME, environment={**os.environ, "FITGUARD_PROBE_FAULT": "soak:hang"}
    )
    (result,) = report.results
    assert (result.name, result.status) == ("soak", "timeout")
    assert result.diagnosis.primary == "hang"


@pytest.mark.parametrize("content", [b"", b'{"format": 1, "seed"', b"[]", b"\xff\xfe", b"{}"])
def test_progress_that_is_broken_is_a_clear_error(tmp_path, monkeypatch, content):
    monkeypatch.chdir(tmp_path)
    folder = RunFolder(tmp_path / "fitguard-runs" / NAME)
    folder.path.mkdir(0o700, parents=True)
    event = {"event": "run-started", "time": 1.0, "id": NAME, "command": COMMAND}
    folder.journal.write_text(json.dumps({**event, "working_directory": str(tmp_path)}) + "\n")
    folder.soak.write_bytes(content)
    with pytest.raises(UnreadableInput, match=r"soak\.json, which is broken"):
        fitguard.probe(level="long", resume=NAME)


def test_names_that_do_not_exist_and_options_of_another_level(tmp_path):
    with pytest.raises(UsageError, match="Expected computations of a soak: matmul-float64"):
        fitguard.probe(level="long", only=["nothing"], runs_folder=tmp_path)
    with pytest.raises(UsageError, match="Received --resume night --keep-going with the"):
        fitguard.probe(resume=NAME, keep_going=True)
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="fitguard probe --level long --runs-folder FOLDER"):
        fitguard.probe(level="long", runs_folder=tmp_path / "file" / "runs")


def test_when_the_minutes_are_over_nobody_asked(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    told = []
    report = fitguard.probe(
        level="long", name=NAME, minutes=1e-3, only=["integers"], python=sys.executable,
        say=told.append,
    )  # fmt: skip
    assert [result.status for result in report.results] in ([], ["skip"])
    assert any(line.startswith("the minutes are over: the soak writes down") for line in told)
    resume = f"fitguard probe --level long --resume {NAME} --python {sys.executable}"
    assert f"To go on with it: {resume}" in report.notes
    run = fitguard.read_run(NAME)
    assert verdict(run) == "Stopped as asked in the first attempt"
    assert run.exit_code == 4  # nothing was computed
    assert describe_alive(Path(run.folder)).causes[0].why.endswith("had computed anything.")
    assert advice(run) == f"`{resume}` continues it."


def keep_soak(place, *findings):
    """The folder of a soak that was told to stop."""
    folder = RunFolder(place / "fitguard-runs" / NAME)
    folder.path.mkdir(0o700, parents=True)
    events = [
        {"event": "run-started", "time": 1.0, "id": NAME, "command": COMMAND},
        {"event": "attempt-started", "time": 2.0, "attempt": 1, "pid": 1, "orders": {}},
        {"event": "attempt-ended", "time": 3.0, "attempt": 1, "outcome": "interrupted"},
        {"event": "run-ended", "time": 3.0, "state": "interrupted", "exit_code": 0},
    ]
    folder.journal.write_text("".join(f"{json.dumps(event)}\n" for event in events))
    folder.soak.write_text(json.dumps({
        "format": 1, "seed": 5, "number": 9, "identity": {}, "sessions": 1, "seconds": 1.0,
        "updated": 3.0, "findings": findings, "computations": [
            _describe_computation("integers", 9, len(findings)),
            _describe_computation("memory", 0, 0),
        ],
    }))  # fmt: skip
    return folder


def _describe_computation(name, number, wrong):
    return {
        "name": name, "device": "/GPU:0", "size": "8", "computations": number,
        "elements": 8 * number, "wrong": wrong, "seconds": 1.0, "checksum": "", "left_out": "",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("findings", "detail"),
    [((), "The time was up."), (("once",), "The soak stopped at the first wrong result.")],
)
def test_why_a_computation_was_not_reached_is_told(tmp_path, findings, detail):
    folder = keep_soak(tmp_path, *(describe_wrong(kind) for kind in findings))
    run, devices = fitguard.read_run(folder.path), list_devices("all", {})
    report = soak_report.build_report(run, folder, read_progress(folder), devices, "python")
    told = {result.name: (result.status, result.detail) for result in report.results}
    assert told["memory"] == ("skip", detail)
    assert told["integers"][0] == ("fail" if findings else "pass")


def describe_wrong(kind):
    return {
        "computation": "integers", "device": "/GPU:0", "size": "8", "number": 3, "seed": 5,
        "time": 2.5, "kind": kind, "attempt": 1, "wrong_elements": 1, "wrong_bits": 1,
        "text": "computation 3 has 1 wrong bit",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "confidence", "why"),
    [("once", "high", "another one when it was repeated"),
     ("sessions", "medium", "than in an earlier session")],
)  # fmt: skip
def test_explain_names_the_wrong_bit(tmp_path, kind, confidence, why):
    folder = keep_soak(tmp_path, describe_wrong(kind))
    assert soaking._judge_told(folder) == 4
    (found, *_) = describe_alive(folder.path).causes
    assert (found.cause, found.confidence) == ("hardware-fault", confidence)
    assert why in found.why
    assert "computation 3 has 1 wrong bit" in found.evidence[0].text


def test_a_soak_that_was_told_to_stop_is_fine(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = keep_soak(tmp_path)
    assert soaking._judge_told(folder) == 0
    diagnosis = describe_alive(folder.path)
    assert (diagnosis.primary, diagnosis.causes[0].why) == (
        "none", "The soak went on until it was told to stop. It found no wrong bit.",
    )  # fmt: skip
    run = fitguard.read_run(folder.path)
    assert choose_tone(run) == "fine"
    resume = f"fitguard probe --level long --resume {NAME}"
    assert (
        describe_run(run)
        == f"stopped as asked after 2.0 s; to continue: {resume}; fitguard report {NAME}"
    )
    notice = NoticeWriter(NAME, run.command, 1.0).take(
        RunEnded(time=3.0, state="interrupted", exit_code=0)
    )
    assert (
        notice.text == f"The soak left as asked after 2.0 s and 0 attempts. To continue: {resume}"
    )
    cut_off = describe_cut_off(NAME, folder.path, run.command)
    assert cut_off.causes[0].fix.commands[0] == resume
    with pytest.raises(UsageError, match=f"which is a soak and no training. Expected: {resume}"):
        guard(None, RunOptions(resume=NAME), say=lambda _: None)


def test_the_command_that_goes_on_with_a_run():
    soak = (*COMMAND, "--only", "integers", "memory", "--python", "~/my venv/bin/python")
    assert read_only(soak) == ("integers", "memory")
    assert describe_resume("a b", soak, elsewhere="/runs") == (
        "fitguard probe --level long --runs /runs --resume 'a b' --python ~/'my venv/bin/python'"
    )
    assert describe_resume("one", ("train.py", "--python", "x")) == "fitguard run --resume one"


def test_the_notes_tell_what_changed_and_who_died(tmp_path):
    run = fitguard.read_run(keep_soak(tmp_path).path)
    dead = Attempt(
        number=1, started=1.0, ended=2.0, outcome="lost", last=Place(fit=1, total_steps=7)
    )
    run = msgspec.structs.replace(run, attempts=(dead, Attempt(number=2, started=3.0)))
    change = VersionChange(session=2, time=2.0, computations=4, text="TensorFlow was 1 and is 2")
    progress = msgspec.structs.replace(
        read_progress(RunFolder(tmp_path / "fitguard-runs" / NAME)), changes=(change,)
    )
    notes = "\n".join(list_notes(run, progress, list_devices("all", {"CUDA_VISIBLE_DEVICES": ""})))
    assert "before session 2: TensorFlow was 1 and is 2. New references were made. Of all" in notes
    assert (
        "Process 1 was cut off together with the one that guards it after computation 7. Process 2 "
        "started then, and came to no computation."
    ) in notes


def test_only_an_end_from_outside_lets_it_begin_again():
    story = Story(from_outside_only=True, max_attempts=2)
    assert story.ends_with(end("killed", signal="SIGKILL", cause="unknown")).action == "restart"
    assert story.ends_with(end("killed", signal="SIGKILL", cause="unknown")).stop
    crashed = Story(from_outside_only=True).ends_with(end(signal="SIGSEGV", cause="unknown"))
    assert crashed.stop
    assert crashed.text.endswith("fitguard stops here: That is the result.")


def test_what_was_measured_around_a_moment(tmp_path):
    names = ("gpu_temperature", "gpu_clock", "gpu_power", "gpu_throttle_reasons",
             "gpu_ecc_corrected", "gpu_ecc_uncorrected", "gpu_xid")  # fmt: skip
    folder = RunFolder(tmp_path)
    columns = [f"{name}:0" for name in names]
    recorder = FlightRecorder(folder.flight_records / "parent.record", columns)
    samples = [(60, 1.98e9, 300, 0, 7, 0, None), (71, 1.2e9, 690, 0x20, 7, 0, None),
               (74, 1.1e9, 700, 0x24, 9, 1, 48)]  # fmt: skip
    for second, sample in enumerate(samples):
        recorder.add(1000.0 + second, second, dict(zip(columns, sample, strict=True)))
    recorder.add(2000.0, 9, {"gpu_temperature:0": 30})
    assert describe_surroundings(folder, 1001.2) == (
        "GPU 0 in the minute around it: 71 °C (60 to 74), 1,200 MHz (1,100 to 1,980), 690 W (300 "
        "to 700), slowed by sw-power-cap and sw-thermal, 2 corrected memory errors more, 9 in all, "
        "1 uncorrected memory error more, 1 in all, Xid 48.",
    )
