"""Does something with files, builds every state that a power cut may leave of it, opens each."""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from unittest.mock import patch

from guarded.power.disk import write_contents
from guarded.power.recording import Recorder, recording
from guarded.power.states import MODELS, State, build_states

from fitguard.keras.world import territory

_MEMORY = Path("/dev/shm")


@dataclass
class Count:
    """What was built and opened."""

    built: int = 0
    opened: int = 0
    bad: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return (
            f"{self.built} states of a power cut built, {self.opened} different ones opened, "
            f"{len(self.bad)} bad"
        )


@contextlib.contextmanager
def recorded(work: Callable[[Recorder], None]) -> Iterator[Recorder]:
    """What was done by `work` in an empty folder; states can be built in its place meanwhile."""
    # A disk would have to be sure, thousands of times, of what nobody needs. Files below /dev do
    # not count as the script's own: here they do.
    memory = _MEMORY if os.access(_MEMORY, os.W_OK) else None
    with patch.object(territory, "_NEVER", ()), tempfile.TemporaryDirectory(dir=memory) as folder:
        home = Path(folder).resolve() / "home"
        home.mkdir()
        with recording(home) as recorder, contextlib.chdir(home):
            work(recorder)
            recorder.verify()
        shutil.rmtree(home)
        yield recorder


@contextlib.contextmanager
def built(home: Path, state: State) -> Iterator[None]:
    """The state as real files, in the working directory."""
    write_contents(home, state.contents)
    try:
        with contextlib.chdir(home):
            yield
    finally:
        shutil.rmtree(home)


def open_states(
    record: Recorder, model: str, find_fault: Callable[[State], str], *, most: int, seed: str
) -> Count:
    """Build and open all states of a model.

    Args:
        find_fault: Opens one; what is not as it must be, empty where all is.
        most: States of one moment; where there are more, they are drawn.
    """
    count, seen = Count(), set()
    states = build_states(
        record.operations, record.kinds, MODELS[model], most=most, random=Random(seed)
    )
    for state in states:
        count.built += 1
        seen.add(hash((frozenset(state.contents.items()), len(state.promises))))
        if fault := find_fault(state):
            count.bad.append(f"{model}, after {state.cut} operations: {fault}")
    count.opened = len(seen)
    return count
