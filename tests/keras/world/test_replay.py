"""The top of a script is run again: what an earlier attempt did counts as not done."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from guarded.files import aside, attempt


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    "make",
    [
        lambda: os.mkdir("out"),
        lambda: os.makedirs("out/deep"),
        lambda: Path("out").mkdir(),
        lambda: Path("out/deep").mkdir(parents=True),
    ],
    ids=["mkdir", "makedirs", "Path.mkdir", "parents"],
)
def test_a_folder_that_an_earlier_attempt_made_counts_as_new_once(make) -> None:
    for number in (1, 2, 3):
        with attempt(number):
            make()
            Path("out", f"{number}.txt").write_text("")
            with pytest.raises(FileExistsError):
                make()

    assert sorted(os.listdir("out"))[:3] == ["1.txt", "2.txt", "3.txt"]
    assert os.mkdir.__module__ == "posix"


def test_a_folder_counts_as_new_where_the_run_was_moved_to(monkeypatch, tmp_path) -> None:
    Path("a").mkdir()
    monkeypatch.chdir("a")
    with attempt(1):
        os.mkdir("out")
    Path("../a").rename("../b")
    monkeypatch.chdir(tmp_path / "b")
    with attempt(2):
        os.mkdir("out")


def test_a_folder_that_was_there_before_the_run_does_not() -> None:
    os.mkdir("out")
    with attempt(1), pytest.raises(FileExistsError):
        os.mkdir("out")
    with attempt(2), pytest.raises(FileExistsError):
        os.mkdir("out")


def test_what_an_earlier_attempt_removed_or_renamed_can_be_so_again() -> None:
    Path("old.csv").write_text("")
    Path("given.csv").write_text("1")
    os.makedirs("before/deep")
    Path("before/deep/x").write_text("")
    for number in (1, 2):
        with attempt(number):
            os.remove("old.csv")
            shutil.move("given.csv", "data.csv")
            shutil.rmtree("before")
            with pytest.raises(FileNotFoundError):
                os.remove("old.csv")
            with pytest.raises(FileNotFoundError):
                shutil.rmtree("before")
            with pytest.raises(FileNotFoundError):
                os.rename("given.csv", "other.csv")
    assert Path("data.csv").read_text() == "1"
    assert not Path("before").exists()


def test_a_file_that_is_made_once_can_be_made_again() -> None:
    for number in (1, 2):
        with attempt(number):
            with open("made.txt", "x") as file:
                file.write(str(number))
            with pytest.raises(FileExistsError):
                open("made.txt", "x")
    assert Path("made.txt").read_text() == "2"
    assert aside(2) == {"made.txt": "1"}


def test_no_line_of_a_log_stands_twice() -> None:
    Path("old.log").write_text("before\n")
    for number in (1, 2, 3):
        with attempt(number):
            for name in ("old.log", "new.log"):
                for line in range(3):
                    with open(name, "a") as log:
                        log.write(f"{line} of {number}\n")
    lines = "0 of 3\n1 of 3\n2 of 3\n"
    assert Path("new.log").read_text() == lines
    assert Path("old.log").read_text() == f"before\n{lines}"
    assert aside(2)["old.log"] == "0 of 1\n1 of 1\n2 of 1\n"


def test_a_log_has_its_heading_once() -> None:
    for number in (1, 2):
        with attempt(number):
            for line in range(2):
                is_new = not os.path.exists("log.csv")
                with open("log.csv", "a") as log:
                    log.write("heading\n" if is_new else "")
                    log.write(f"{line}\n")
    assert Path("log.csv").read_text() == "heading\n0\n1\n"


def test_logs_are_given_back_where_the_script_ends_before_it_comes_to_them() -> None:
    Path("old.log").write_text("before\n")
    with attempt(1):
        for name in ("old.log", "new.log"):
            with open(name, "a") as log:
                log.write("1\n")
    with attempt(2):
        assert Path("old.log").read_text() == "before\n"
        assert not Path("new.log").exists()
    assert Path("old.log").read_text() == "before\n1\n"
    assert Path("new.log").read_text() == "1\n"


def test_a_folder_that_is_renamed_takes_its_files_along() -> None:
    def publish(text: str) -> None:
        os.mkdir("unready")
        Path("unready/a.txt").write_text(text)
        os.rename("unready", "ready")

    with attempt(1) as world:
        moment = world.read()
        publish("1")
    with attempt(2) as world:
        assert world.write(moment) == []
        publish("2")
        assert list(world.read()["files"]) == ["ready/a.txt"]
    assert Path("ready/a.txt").read_text() == "2"


def test_what_others_make_is_not_touched() -> None:
    with attempt(1) as world:
        subprocess.run([sys.executable, "-c", "open('others.txt', 'x')"], check=True)
        tempfile.mkdtemp(dir=".")
        with tempfile.NamedTemporaryFile(dir=".", delete=False), tempfile.TemporaryFile(dir="."):
            pass
        if (child := os.fork()) == 0:
            open("child.txt", "x").close()
            os.mkdir("child")
            os._exit(0)
        os.waitpid(child, 0)
        Path("ours.txt").write_text("")
        assert list(world.read()["files"]) == ["ours.txt"]
    with attempt(2) as world:
        for name in ("others.txt", "child.txt"):
            with pytest.raises(FileExistsError):
                open(name, "x")
        with pytest.raises(FileExistsError):
            os.mkdir("child")
        assert world.read()["files"] == {}
    assert len(list(Path().glob("tmp*"))) == 2
