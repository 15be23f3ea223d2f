"""Files of a moment, kept with a snapshot and put back."""

import os
import resource
import shutil
import time
from pathlib import Path
from typing import Any

import pytest
from guarded.files import aside, attempt, said

from fitguard.keras.world import World
from fitguard.keras.world.contents import Contents, NotKept
from fitguard.keras.world.named import Listing


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def written(name: str, text: str) -> None:
    Path(name).parent.mkdir(exist_ok=True)
    Path(name).write_text(text)


def tree() -> dict[str, str]:
    """All files of the script, by name."""
    paths = [path for path in Path().rglob("*") if path.is_file() and path.parts[0] != "run"]
    return {str(path): path.read_text() for path in sorted(paths)}


def test_all_is_as_it_was_at_the_moment() -> None:
    Path("given.txt").write_text("given")
    with attempt(1) as world:
        written("out/best.txt", "first")
        written("out/log.txt", "1\n")
        Path("given.txt").write_text("changed")
        moment, then = world.read(), tree()
        written("out/best.txt", "second")
        written("out/later/picture.txt", "")
        with open("out/log.txt", "a") as log:
            log.write("2\n")
    with attempt(2) as world:
        shutil.rmtree("out", ignore_errors=True)
        os.mkdir("out")
        written("own.txt", "of attempt 2")
        assert world.write(moment) == []
        assert tree() == {**then, "own.txt": "of attempt 2"}
        assert not Path("out/later").exists()
        # And the same way from here.
        assert world.read()["files"].keys() == {*moment["files"], "own.txt"}
    with attempt(3) as world:
        assert world.write(moment) == []
        assert tree() == {**then, "own.txt": "of attempt 2"}


def test_what_stands_in_the_way_is_kept_aside_and_said() -> None:
    with attempt(1) as world:
        written("notes.txt", "kept")
        moment = world.read()
        written("notes.txt", "newer")
        written("later.txt", "later")
    with attempt(2) as world:
        assert world.write(moment) == []
    # What came later replaces itself, or is a mark of the script's own.
    assert tree() == {"notes.txt": "kept", "later.txt": "later"}
    assert aside(2) == {"notes.txt": "newer"}
    (sentence,) = said()
    assert sentence.startswith("files are as they were at that moment: notes.txt; what stood")


def test_who_holds_a_log_open_goes_on_at_its_end() -> None:
    with attempt(1) as world, open("log.txt", "w") as log:
        log.write("top\n")
        log.write("epoch 1\n")
        moment = world.read()
        log.write("epoch 2\n")
    with attempt(2) as world, open("log.txt", "w") as log:
        log.write("top\n")
        assert world.write(moment) == []
        log.write("epoch 2, again\n")
    assert Path("log.txt").read_text() == "top\nepoch 1\nepoch 2, again\n"


def test_folders_made_after_the_moment_count_as_new_and_those_before_it_do_not() -> None:
    with attempt(1) as world:
        os.mkdir("before")
        moment = world.read()
        os.mkdir("after")
        os.symlink("nowhere", "after/link")
    with attempt(2) as world:
        world.write(moment)
        with pytest.raises(FileExistsError):
            os.mkdir("before")
        os.mkdir("after")


def test_the_files_of_each_finished_fit_come_back_in_turn() -> None:
    moments = []
    with attempt(1) as world:
        for fit in range(3):
            written("best.txt", f"of fit {fit}")
            written(f"fold-{fit}.txt", str(fit))
            moments.append((world.read(), tree()))
    with attempt(2) as world:
        for moment, then in moments:
            assert world.write(moment) == []
            assert tree().items() >= then.items()


def test_what_is_too_large_is_said_once_and_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    with attempt(1) as world:
        monkeypatch.setattr(world, "_contents", small_contents(world, file_bytes=10, all_bytes=15))
        written("large.txt", "x" * 11)
        written("a.txt", "1" * 9)
        written("b.txt", "2" * 9)
        moment = world.read()
        written("large.txt", "y" * 12)
        written("b.txt", "3" * 9)
        world.read()
    first, second = said()
    assert first.startswith("b.txt is not kept beside the snapshots: 15 bytes of files are kept")
    assert second.startswith("large.txt is not kept beside the snapshots: it has 11 bytes, more")
    with attempt(2) as world:
        lost = world.write(moment)
    assert lost == ["large.txt is not as it was at that moment: its content was not kept"]
    assert Path("large.txt").read_text() == "y" * 12


def small_contents(world: World, **bounds: int) -> Contents:
    return Contents(Path("run/files").absolute(), world._collect_needed_digests, **bounds)


def test_what_the_top_of_the_script_made_is_made_again_and_not_kept() -> None:
    def begin(world: World) -> None:
        written("data.txt", "as large as they come")
        written("log.txt", "top\n")
        world.fit_begins()

    with attempt(1) as world:
        begin(world)
        with open("log.txt", "a") as log:
            log.write("epoch\n")
        moment, then = world.read(), tree()
    assert len(list(Path("run/files/kept").iterdir())) == 1
    with attempt(2) as world:
        begin(world)
        assert world.write(moment) == []
    assert tree() == then


def test_what_a_fit_wrote_stays_known_as_that_in_later_attempts() -> None:
    with attempt(1) as world:
        world.fit_begins()
        written("out/best.txt", "first")
        moment = world.read()
    with attempt(2) as world:
        world.fit_begins()
        assert world.write(moment) == []
        moment = world.read()
        written("out/best.txt", "second")
    with attempt(3) as world:
        world.fit_begins()
        assert world.write(moment) == []
    assert tree() == {"out/best.txt": "first"}


def test_a_snapshot_costs_milliseconds() -> None:
    with attempt(1) as world:
        for number in range(200):
            written(f"out/{number}.txt", str(number))
        world.read()
        time.sleep(0.05)
        world.read()
        kept = sorted(Path("run/files/kept").iterdir())
        times = [path.stat().st_ctime_ns for path in kept]
        world.read()
        assert [path.stat().st_ctime_ns for path in kept] == times


def test_links_unreadable_and_vanishing_files_harm_nobody(monkeypatch: Any) -> None:
    Path("elsewhere").mkdir()
    Path("elsewhere/secret.txt").write_text("not mine")
    with attempt(1) as world:
        os.mkdir("out")
        os.symlink(Path("elsewhere").absolute(), "out/folder")
        os.symlink(Path("elsewhere/secret.txt").absolute(), "out/file")
        os.mkfifo("out/pipe")
        written("out/gone.txt", "")
        written("out/real.txt", "real")
        keep = world._contents.keep

        def vanishing(path: str) -> str:
            if path.endswith("gone.txt"):
                os.unlink(path)
            return keep(path)

        monkeypatch.setattr(world._contents, "keep", vanishing)
        files = world.read()["files"]
        assert [name for name, entry in files.items() if entry[1]] == ["out/real.txt"]


def test_a_run_folder_that_cannot_be_written_costs_the_copies_only() -> None:
    with attempt(1) as world:
        Path("run/files").write_text("a file where the folder should be")
        written("out/best.txt", "best")
        moment = world.read()
    assert "best.txt is not kept" in said()[0]
    with attempt(2) as world:
        assert world.write(moment) == []
        Path("out/best.txt").unlink()
        (sentence,) = world.write(moment)
    assert sentence == "out/best.txt is not as it was at that moment: its content was not kept"
    assert world.write({}) == []
    assert "could not be put back" in world.write({"files": 1})[0]


def test_contents_that_no_snapshot_needs_are_removed() -> None:
    with attempt(1) as world:
        for number in range(9):
            written("best.txt", str(number))
            world.read()
        world._contents.tidy()
        assert len(list(Path("run/files/kept").iterdir())) == 4


def test_a_file_that_changes_while_it_is_kept_leaves_no_copy_behind(tmp_path: Path) -> None:
    """A copy that is not what its name says would be taken for whole by later snapshots."""
    contents = Contents(tmp_path / "kept", lambda: ())
    log = tmp_path / "log.txt"
    log.write_text("first")
    taking = contents._take

    def take_late(file: int, length: int, digest: str) -> None:
        log.write_text("other")
        taking(file, length, digest)

    contents._take = take_late  # type: ignore[method-assign]
    with pytest.raises(NotKept, match="being written"):
        contents.keep(str(log))
    contents._take = taking  # type: ignore[method-assign]
    log.write_text("first")
    digest = contents.keep(str(log))
    contents.flush()

    assert (tmp_path / "kept" / digest).read_text() == "first"


def test_a_full_disk_costs_the_copy_only() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with attempt(1) as world:
        written("large.txt", "x" * 200_000)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
        try:
            files = world.read()["files"]
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert files["large.txt"][:2] == [200_000, ""]
        assert list(Path("run/files/kept").iterdir()) == []


@pytest.mark.parametrize("name", [".ssh/authorized_keys", "lib/site-packages/a.py"])
def test_what_is_none_of_a_trainings_business_is_not_put_back(name: str) -> None:
    """A snapshot may come out of a storage, and somebody may have changed it there."""
    with attempt(1) as world:
        written("best.txt", "best")
        moment = world.read()
    moment["files"][name] = moment["files"]["best.txt"]
    with attempt(2) as world:
        (sentence,) = world.write(moment)
    assert sentence.startswith(f"{name} is not as it was at that moment: it is hidden, or belongs")
    assert tree() == {"best.txt": "best"}


def test_a_look_into_huge_folders_ends() -> None:
    for number in range(9):
        written(f"out/{number}.txt", "")
    listing = Listing(0.0, most=4)
    assert len(list(listing.inside("out"))) == 4
    assert not listing.complete
    assert list(Listing(0.0).inside("nowhere")) == []
