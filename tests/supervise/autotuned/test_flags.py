"""`XLA_FLAGS`, as the real TensorFlow reads it."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import programs
from facts.fake_site import build_library

from fitguard.supervise.autotuned.flags import DUMP, LOAD, add_flags, are_known

TENSORFLOW = Path(importlib.util.find_spec("tensorflow").origin).parent
COMPILES = """
import tensorflow as tf
print(tf.function(lambda x: x * 2 + 1, jit_compile=True)(tf.constant(3.0)).numpy())
"""


def compiled_with(flags: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-c", COMPILES],
        env={**os.environ, "XLA_FLAGS": flags, "CUDA_VISIBLE_DEVICES": "-1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=programs.LONGEST_SECONDS,
    )


def test_the_flags_of_the_user_come_behind_ours_unchanged():
    own = "--xla_dump_hlo_as_text  --xla_dump_to=/a"
    assert add_flags(own, {LOAD: Path("/b.pb")}) == f'--{LOAD}="/b.pb" {own}'
    assert add_flags("", {LOAD: Path("/b.pb"), DUMP: Path("/c")}) == (
        f'--{LOAD}="/b.pb" --{DUMP}="/c"'
    )


def test_what_the_user_has_set_is_not_set_again():
    for own in (f"--{DUMP}=/own.pb", f"--xla_dump_to=/a --{LOAD}='/own.pb'"):
        assert add_flags(own, {LOAD: Path("/b")}) is None


def test_a_file_of_flags_is_left_alone(tmp_path):
    assert add_flags(str(tmp_path / "flags.txt"), {LOAD: Path("/b")}) is None


def test_tensorflow_reads_any_path_and_the_flags_of_the_user(tmp_path):
    ours = tmp_path / 'a "strange" \\ folder\'s name'
    theirs = tmp_path / "their own"
    for folder in (ours, theirs):
        folder.mkdir()
    # The second one wins, as it does where both are the user's.
    flags = add_flags("--xla_dump_hlo_as_proto", {"xla_dump_to": ours})
    assert compiled_with(flags).stdout == "7.0\n"
    assert any(ours.iterdir())
    flags = add_flags(f"--xla_dump_to='{theirs}", {"xla_dump_to": ours / "not made"})
    assert compiled_with(flags).stdout == "7.0\n"
    assert any(theirs.iterdir())
    assert not (ours / "not made").exists()


def test_tensorflow_without_a_gpu_takes_both_flags(tmp_path):
    wanted = {LOAD: tmp_path / "none.pb", DUMP: tmp_path / "new.pb"}
    assert are_known([TENSORFLOW / "libtensorflow_cc.so.2"])
    assert compiled_with(add_flags("", wanted)).stdout == "7.0\n"
    assert list(tmp_path.iterdir()) == []


def test_a_flag_that_tensorflow_does_not_know_ends_it(tmp_path):
    ended = compiled_with(add_flags("", {f"{DUMP}_and_more": tmp_path / "new.pb"}))
    assert ended.returncode != 0
    assert "Unknown flag in XLA_FLAGS" in ended.stderr


def test_flags_are_known_by_the_library(tmp_path):
    fields = build_library(
        tmp_path / "fields.so", source=f'const char *a = "Options.{LOAD}", *b = "Options.{DUMP}";'
    )
    one = build_library(tmp_path / "one.so", source=f'const char *a = "{LOAD}";')
    both = build_library(tmp_path / "both.so", source=f'const char *a = "{DUMP}", *b = "{LOAD}";')
    unknown = [fields, one, tmp_path / "none.so", tmp_path, Path(sys.executable)]
    assert not are_known(unknown)
    assert are_known([*unknown, both])
