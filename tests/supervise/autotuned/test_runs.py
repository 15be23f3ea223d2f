"""Whole runs: real processes, whose script writes what XLA writes."""

import shutil
import subprocess
from pathlib import Path

import pytest
from supervise.autotuned.xla_files import written
from supervise.parents import Parent

from fitguard.schema.journal import Decided, Noted

SOURCE = Path(__file__).with_name("recorded_card.c")
TRAINS = f"""
import os, re, signal
print(os.environ.get("XLA_FLAGS"), flush=True)
named = dict(re.findall('--(\\\\w+)="([^"]*)"', os.environ.get("XLA_FLAGS", "")))
for name, path in named.items():
    if "dump" in name:
        open(path, "wb").write({written(1, 2)!r})
for step in training.steps(4):
    if training.attempt == 1 and step == 3:
        training.save()
        os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def card(tmp_path, monkeypatch) -> None:
    """A machine with the driver of an H200, and an empty cache."""
    folder = tmp_path / "driver"
    folder.mkdir()
    compiler = shutil.which("cc")
    assert compiler is not None, "this test needs a C compiler: apt install gcc"
    library = folder / "libnvidia-ml.so.1"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, SOURCE], check=True)
    monkeypatch.setenv("LD_LIBRARY_PATH", str(folder))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)


def notes_of(parent: Parent) -> list[tuple[int, str]]:
    notes = parent.events(Noted)
    return [(note.attempt, note.text) for note in notes if note.kind == "autotuning"]


@pytest.mark.usefixtures("card")
def test_a_run_is_killed_and_begins_with_what_it_has_found_and_so_does_the_next(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("XLA_FLAGS", "--xla_dump_hlo_as_text")
    first = Parent(tmp_path, TRAINS)
    assert first.ended() == 0
    shown = first.out.splitlines()
    assert len(shown) == 2
    assert all(line.endswith(" --xla_dump_hlo_as_text") for line in shown)
    assert "load_autotune" not in shown[0]
    assert "autotuned/" in shown[1].split("load_autotune")[1]
    assert notes_of(first) == [(2, "XLA begins with 2 autotuning results of attempt 1.")]
    assert any("2 autotuning results" in note["text"] for note in first.run()["notes"])
    second = Parent(tmp_path, TRAINS)
    assert second.ended() == 0
    assert [number for number, _ in notes_of(second)] == [1, 2]
    assert "2 autotuning results of an earlier run" in notes_of(second)[0][1]


@pytest.mark.usefixtures("card")
def test_an_error_of_what_an_earlier_run_has_left_does_not_stop_the_next(tmp_path):
    refuses = """
if "load_autotune" in os.environ["XLA_FLAGS"]:
    raise RuntimeError("there is no such algorithm any more")
"""
    text = TRAINS.replace("for step in", f"{refuses}for step in").replace(
        "attempt == 1", "attempt < 0"
    )
    first = Parent(tmp_path, text)
    assert first.ended() == 0
    assert notes_of(first) == []
    second = Parent(tmp_path, text)
    assert second.ended() == 0, second.err
    assert [number for number, _ in notes_of(second)] == [1]
    decided = second.events(Decided)
    assert [event.text for event in decided] == [
        "Attempt 1 ended with an error before its first step. XLA had begun with 2 autotuning "
        "results of an earlier run of the same script with this TensorFlow, driver and card: it "
        "starts again without them."
    ]
    # The second attempt has left its own.
    assert "load_autotune" not in second.out.splitlines()[-1]
    assert len(list((tmp_path / "cache" / "fitguard" / "autotuned").iterdir())) == 1


@pytest.mark.usefixtures("card")
def test_an_error_behind_a_step_stops_the_run_as_ever(tmp_path):
    text = TRAINS.replace("attempt == 1", "attempt < 0")
    text += "    if os.path.exists('wrong') and step == 2: raise RuntimeError('wrong data')\n"
    assert Parent(tmp_path, text).ended() == 0
    (tmp_path / "wrong").touch()
    second = Parent(tmp_path, text)
    assert second.ended() == 1
    # The policy may try it once more, but never without the results.
    attempts = len(second.run()["attempts"])
    assert [number for number, _ in notes_of(second)] == list(range(1, attempts + 1))


def test_without_a_gpu_the_variable_is_as_it_was(tmp_path, monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "-1")
    monkeypatch.delenv("XLA_FLAGS", raising=False)
    parent = Parent(tmp_path, TRAINS)
    assert parent.ended() == 0
    assert parent.out == "None\nNone\n"
    assert notes_of(parent) == []
    assert not (parent.run_folder / "autotuned").exists()
