"""Files as a power cut may leave them at any moment of a run, each opened by the real parts."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from guarded.power.disk import write_contents
from guarded.power.opening import find_fault
from guarded.power.recording import Recorder, recording
from guarded.power.small_run import SmallRun
from guarded.power.states import MODELS, build_states


@pytest.fixture
def record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Recorder:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.chdir(home)
    with recording(home) as recorder:
        SmallRun(recorder).train()
        recorder.verify()
    return recorder


def open_all(record: Recorder, folder: Path, model: str, most: int, seed: str) -> Iterator[str]:
    """Open each state of a model; what is wrong with it, or nothing."""
    random, opened, place = Random(seed), set(), folder / "state"
    built = build_states(record.operations, record.kinds, MODELS[model], most=most, random=random)
    for state in built:
        key = hash((frozenset(state.contents.items()), len(state.promises)))
        if key in opened:
            continue
        opened.add(key)
        write_contents(place, state.contents)
        fault = find_fault(place, state)
        shutil.rmtree(place)
        yield f"{model}, cut at {state.cut}: {fault}" if fault else ""


@pytest.mark.parametrize("model", MODELS)
def test_no_power_cut_loses_what_was_reported(
    model: str, record: Recorder, tmp_path: Path, monkeypatch, capsys
) -> None:
    results = list(open_all(record, tmp_path, model, most=20, seed="1"))
    bad = [result for result in results if result]
    with capsys.disabled():
        print(len(record.operations), len(results), len(bad))
    assert not bad, "\n".join(bad[:5])
