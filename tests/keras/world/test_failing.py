"""What an earlier attempt is the reason for, in words that say what to change."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from guarded.files import attempt


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def remedy_of(failing: Callable[[], object]) -> str:
    with attempt(2) as world:
        try:
            failing()
        except Exception as error:
            return world.remedy(error)
    raise AssertionError("it did not fail")


def test_a_file_that_was_removed_is_read() -> None:
    Path("data.csv").write_text("")
    with attempt(1):
        os.remove("data.csv")
    said = remedy_of(lambda: open("data.csv"))
    line = said.partition(" of test_failing.py fails because ")
    assert line[0].startswith("Line ")
    assert line[2] == (
        "attempt 1 had already removed data.csv. Do that only where it is still there: "
        "if os.path.exists('data.csv'). The run can be resumed then."
    )


def test_a_folder_that_was_made_is_made_by_others() -> None:
    with attempt(1):
        os.mkdir("out")

    def make() -> None:
        # As TensorFlow says it.
        raise FileExistsError("out; File exists")

    assert "had already made the folder out. Write os.makedirs('out', exist_ok=True)." in remedy_of(
        make
    )


@pytest.mark.parametrize(
    "failing",
    [
        lambda: open("never there"),
        lambda: shutil.copytree("never there", "copy"),
        lambda: os.mkdir("given"),
        lambda: [][1],
    ],
)
def test_other_errors_are_their_own(failing: Callable[[], object]) -> None:
    os.mkdir("given")
    with attempt(1):
        os.mkdir("out")
    assert remedy_of(failing) == ""
