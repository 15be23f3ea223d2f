"""`fitguard watch`, as a command: as text, as lines of JSON, on a terminal."""

import json
import signal
import subprocess

import jsonschema
import pytest
from cli.process import FITGUARD, fitguard
from programs import start
from supervise.terminal import Terminal
from watching.made_folder import make_folder

from fitguard.monitor.run_folder import RunFolder
from fitguard.report.json_schemas import json_schema
from fitguard.supervise.lock import locking_run

ID = "20251115-100000-train-aaaa"


def locking_run_of(path):
    """As who guards it does."""
    return locking_run(RunFolder(path))


@pytest.fixture
def folder(tmp_path):
    make_folder(tmp_path / "fitguard-runs" / ID, seconds=60, ended=False)
    return tmp_path


def test_without_a_terminal_it_looks_once(folder):
    done = fitguard("watch", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("▲ Cut off: epoch 2 of 50, step 100 of 400\n")
    assert "TensorFlow's allocator" in done.stdout
    assert "│ 400/400 8s 20ms/step - loss: 1.2031\n" in done.stdout
    assert "\x1b" not in done.stdout


def test_lines_of_json_until_ctrl_c(folder):
    run = folder / "fitguard-runs" / ID
    with locking_run_of(run):
        watching = start(
            [FITGUARD, "watch", "--json", "--every", "0.1"],
            cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        lines = [watching.stdout.readline() for _ in range(3)]
        watching.send_signal(signal.SIGINT)
        _, complaints = watching.communicate()
    assert (watching.returncode, complaints) == (0, "")
    schema = jsonschema.Draft202012Validator(json_schema("watch"))
    moments = [json.loads(line) for line in lines]
    for moment in moments:
        schema.validate(moment)
        assert (moment["schema"], moment["state"]) == ("fitguard/watch/1", "running")
    assert moments[0]["time"] < moments[2]["time"]


def test_a_reader_that_leaves_ends_it(folder):
    with locking_run_of(folder / "fitguard-runs" / ID):
        done = subprocess.run(
            f"{FITGUARD} watch --json --every 0.1 | head -n 1; echo ${{PIPESTATUS[0]}}",
            shell=True, executable="/bin/bash", cwd=folder, capture_output=True, text=True,
            check=True, timeout=120,
        )  # fmt: skip
    assert done.stdout.splitlines()[1] == str(128 + signal.SIGPIPE)
    assert done.stderr == ""


def test_a_terminal_is_drawn_again_and_left_as_it_was(folder):
    with locking_run_of(folder / "fitguard-runs" / ID):
        terminal = Terminal(folder, command=[FITGUARD, "watch", "--every", "0.1"])
        terminal.until(b"\x1b[?1049h")
        terminal.until(b"epoch 2 of 50, step 140 of 400")
        terminal.type(b"\x03")
        terminal.until(b"\x1b[?1049l")
        assert terminal.ended() == 0


def test_wrong_input_is_a_sentence(folder):
    done = fitguard("watch", "nothere", cwd=folder)
    assert done.returncode == 2
    assert done.stderr.startswith("fitguard: Received nothere, which is no run in fitguard-runs")
    done = fitguard("watch", "--runs", "empty", cwd=folder)
    assert done.returncode == 2
    assert done.stderr.startswith("fitguard: There are no runs in empty. Expected the id")
    (folder / "fitguard-runs" / ID / "journal.jsonl").write_text("{}\n")
    done = fitguard("watch", ID, cwd=folder)
    assert done.returncode == 5
    assert "no line of it is an event" in done.stderr


def test_private_names_go_out(folder):
    output = folder / "fitguard-runs" / ID / "output.log"
    output.write_text(
        "reading /home/ann/data with HF_TOKEN=hf_abcdefghijklmnopqrstuvwxyz0123456789\n"
    )
    shown = fitguard("watch", cwd=folder).stdout
    assert "~/data" in shown
    assert "hf_abc" not in shown
    assert "/home/ann/data" in fitguard("watch", "--show-private", cwd=folder).stdout
