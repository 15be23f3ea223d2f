"""`fitguard probe --level long` as a whole: real processes, real signals, a bit that is wrong."""

import json
import os
import re
import signal
import sys

import pytest
from programs import is_alive, left_of, start, wait_for
from supervise.story import Story, end

import fitguard
from fitguard.monitor.flight_recorder import FlightRecorder
from fitguard.monitor.run_folder import RunFolder
from fitguard.schema.exit_codes import UnreadableInput, UsageError
from fitguard.supervise import hang, soaking
from fitguard.supervise.surroundings import describe_surroundings

NAME = "night"
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
    first.process.send_signal(signal.SIGTERM)
    code, answer = first.finish()
    assert code == 0
    assert {one["name"]: one["status"] for one in answer["results"]} == {
        "matmul-float32": "pass", "integers": "pass", "memory": "pass",
    }  # fmt: skip
    assert "the soak writes down how far it is and stops" in first.told
    before = first.progress

    killed = Soaking(tmp_path, "--resume", NAME, *FEW)
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
    assert last.progress["sessions"] == 3
    assert last.progress["number"] > killed.progress["number"] - 1
    assert [one["checksum"] for one in last.progress["computations"]] == [
        one["checksum"] for one in before["computations"]
    ]

    run = fitguard.read_run(last.folder.path)
    assert (run.state, run.exit_code) == ("stopped", 4)
    assert [attempt.outcome for attempt in run.attempts] == ["preempted", "lost", "exited"]
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
    command = ["fitguard", "probe", "--level", "long", "--device", "all"]
    event = {"event": "run-started", "time": 1.0, "id": NAME, "command": command}
    folder.journal.write_text(json.dumps({**event, "working_directory": str(tmp_path)}) + "\n")
    folder.soak.write_bytes(content)
    with pytest.raises(UnreadableInput, match=r"soak\.json, which is broken"):
        fitguard.probe(level="long", resume=NAME)


def test_names_that_do_not_exist_and_options_of_another_level(tmp_path):
    with pytest.raises(UsageError, match="Expected computations of a soak: matmul-float64"):
        fitguard.probe(level="long", only=["nothing"], runs_folder=tmp_path)
    with pytest.raises(UsageError, match="with the level quick"):
        fitguard.probe(resume=NAME)


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
