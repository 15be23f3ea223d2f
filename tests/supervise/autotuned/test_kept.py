"""The user's cache folder does not grow without end."""

import os
import time

from fitguard.supervise.autotuned.kept import ALL_BYTES, LONGEST_SECONDS, KeptResults


def test_what_was_kept_is_found(tmp_path):
    kept = KeptResults.here({"XDG_CACHE_HOME": str(tmp_path)}, "key")
    assert kept.find() == b""
    kept.keep(b"first")
    kept.keep(b"second")
    assert kept.find() == b"second"
    assert KeptResults(kept.folder, "other").find() == b""
    kept.forget()
    kept.forget()
    assert list(kept.folder.iterdir()) == []


def test_what_was_not_used_for_long_is_removed(tmp_path):
    old, young, new = (KeptResults(tmp_path, name) for name in ("old", "young", "new"))
    for kept, age in ((old, LONGEST_SECONDS + 60), (young, LONGEST_SECONDS - 60)):
        kept.keep(b"results")
        then = time.time() - age
        os.utime(tmp_path / f"{kept.key}.pb", (then, then))
    new.keep(b"results")
    assert [kept.find() for kept in (old, young, new)] == [b"", b"results", b"results"]


def test_where_there_is_too_much_the_oldest_goes(tmp_path):
    large = tmp_path / "large.pb"
    with large.open("wb") as file:
        file.truncate(ALL_BYTES)  # takes no room
    then = time.time() - 60
    os.utime(large, (then, then))
    KeptResults(tmp_path, "new").keep(b"results")
    assert [path.name for path in tmp_path.iterdir()] == ["new.pb"]


def test_a_cache_that_cannot_be_written_is_no_loss(tmp_path):
    (tmp_path / "file").write_text("in the way")
    kept = KeptResults(tmp_path / "file", "key")
    kept.keep(b"results")
    kept.forget()
    assert kept.find() == b""
