"""`fitguard explain` as a user calls it: a real process, its output and its exit code."""

import gzip
import json
import os
import pty
import select
import subprocess
import sys

import pytest
from cli.process import FITGUARD, fitguard

from fitguard.monitor.journal import Journal, now
from fitguard.monitor.run_folder import RunFolder
from fitguard.report.render import FORMATS
from fitguard.schema.journal import AttemptStarted, Orders, RunStarted

OOM = (
    "2023-01-01 10:00:00.000000: I tensorflow/compiler/xla/stream_executor/cuda/"
    "cuda_gpu_executor.cc:981] successful NUMA node read from SysFS had negative value (-1), but "
    "there must be at least one NUMA node, so returning NUMA node zero\n"
    "tensorflow.python.framework.errors_impl.ResourceExhaustedError: OOM when allocating tensor "
    "with shape[16384,16384] and type float on /job:localhost/replica:0/task:0/device:GPU:0 by "
    "allocator GPU_0_bfc [Op:MatMul]\n"
)
OOM_KILL = (
    "[ 1234.5] Memory cgroup out of memory: Killed process 4711 (python3) total-vm:98765432kB, "
    "anon-rss:67108864kB, file-rss:0kB, shmem-rss:0kB\n"
)


@pytest.fixture
def log(tmp_path):
    file = tmp_path / "train.log"
    file.write_text(OOM)
    return file


def explained(*arguments, **options):
    """The JSON of a call that answers."""
    done = fitguard("explain", *arguments, "--format", "json", **options)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return json.loads(done.stdout)


def test_a_file(log):
    answer = explained(log)
    assert answer["schema"] == "fitguard/diagnosis/1"
    assert answer["primary"] == "gpu-oom"
    assert answer["causes"][0]["evidence"][0]["line"] == 2
    assert answer["causes"][0]["evidence"][0]["source"].endswith("train.log")
    assert [noise["name"] for noise in answer["noise"]] == ["numa-node"]


def test_standard_input():
    answer = explained("-", stdin=OOM)
    assert answer["primary"] == "gpu-oom"
    assert answer["causes"][0]["evidence"][0]["path"] is None


def test_several_files_are_one_story(log, tmp_path):
    other = tmp_path / "earlier.log"
    other.write_text("Epoch 1/10\n" * 7)
    answer = explained(other, log)
    assert answer["primary"] == "gpu-oom"
    assert answer["lines"] == 9


LOST = "tensorflow.python.framework.errors_impl.UnavailableError: Socket closed\n"


@pytest.fixture
def workers(tmp_path):
    """A folder with the logs of two workers, of which the second ran out of memory."""
    folder = tmp_path / "logs"
    folder.mkdir()
    (folder / "worker0.log").write_text(LOST)
    (folder / "worker1.log").write_text(OOM)
    return folder


@pytest.mark.parametrize("given", ["logs", "logs/worker*.log", "logs/worker0.log logs/worker1.log"])
def test_workers_by_a_folder_a_pattern_or_their_files(given, workers):
    answer = explained(*given.split(), cwd=workers.parent)
    assert (answer["primary"], answer["workers"]["first"]) == ("gpu-oom", "worker1.log")
    assert [end["part"] for end in answer["workers"]["ends"]] == ["fallout", "first"]


@pytest.mark.parametrize("form", ["text", "markdown", "html", "sarif"])
def test_every_format_says_who_failed_first(form, workers):
    done = fitguard("explain", workers, "--format", form)
    assert done.returncode == 0
    assert "worker1.log failed first." in done.stdout
    assert "Only worker1.log has a failure of its own." in " ".join(done.stdout.split())


def test_a_missing_log_is_named_and_the_others_are_explained(workers):
    done = fitguard("explain", workers, "lost/worker2.log", "--format", "json")
    assert done.returncode == 5
    assert "lost/worker2.log, which does not exist" in done.stderr
    answer = json.loads(done.stdout)
    assert answer["workers"]["first"] == "worker1.log"
    assert "lost/worker2.log" in answer["notes"][0]


def test_a_compressed_log(tmp_path):
    file = tmp_path / "train.log.gz"
    file.write_bytes(gzip.compress(OOM.encode()))
    assert explained(file)["primary"] == "gpu-oom"


def test_a_pipe_that_has_a_name(log):
    done = subprocess.run(
        ["bash", "-c", f"{FITGUARD} explain <(cat {log}) --format json"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert json.loads(done.stdout)["primary"] == "gpu-oom"


@pytest.mark.parametrize("name", ["hang", "FG204", "gpu-oom"])
def test_a_file_may_bear_the_name_of_a_page(name, tmp_path):
    (tmp_path / name).write_text(OOM)
    assert explained(name, cwd=tmp_path)["primary"] == "gpu-oom"


def test_a_folder_of_that_name_hides_no_page(tmp_path):
    (tmp_path / "gpu-oom").mkdir()
    assert fitguard("explain", "gpu-oom", cwd=tmp_path).stdout.startswith("# gpu-oom\n")


def test_exit_code_and_kernel_log_without_a_log(tmp_path):
    kernel = tmp_path / "dmesg.txt"
    kernel.write_text(OOM_KILL)
    answer = explained("--exit-code", "137", "--kernel-log", kernel)
    assert answer["primary"] == "host-oom"
    sources = {item["source"] for item in answer["causes"][0]["evidence"]}
    assert "kernel log" in sources


@pytest.mark.parametrize(
    "arguments",
    [("--exit-code", "139"), ("--exit-code", "-11"), ("--exit-code=-11",), ("--signal", "SEGV")],
)
def test_only_how_it_ended(arguments):
    answer = explained(*arguments)
    assert answer["lines"] == 0
    assert answer["primary"] is None
    ways = [question["how"] for question in answer["questions"]]
    assert "tee train.log" in ways[0]
    assert any("--kernel-log auto" in way for way in ways)
    assert any("python -X faulthandler" in way for way in ways)


def test_what_if_may_be_vague(log):
    answer = explained(
        log, "--what-if", "tf=2.10", "--what-if", "driver=460.73 -> 460.80", "gpu=2x T4"
    )
    assert answer["primary"] == "gpu-oom"
    (note,) = answer["notes"]
    assert note.startswith("driver=460.73")


def test_what_if_stands_before_the_file_too(log):
    assert explained("--what-if", "psu=750W", log)["notes"][0].startswith("psu=750W")


def test_this_machine(log):
    answer = explained(log, "--facts", "auto", "--kernel-log", "auto")
    assert answer["primary"] == "gpu-oom"


def test_facts_of_another_machine(log, tmp_path):
    facts = tmp_path / "facts.json"
    facts.write_text('{"tensorflow": {"version": "2.10.1"}}')
    assert explained(log, "--facts", facts)["primary"] == "gpu-oom"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["FG999"], 2, "FG999"),
        (["cudnn-misng"], 2, "cudnn-missing"),
        (["gpu-om"], 2, "gpu-oom"),
        (["fg20"], 2, "FG20"),
        (["20261115-1425"], 2, "`fitguard runs` lists them"),
        (["--bogus"], 2, "--bogus"),
        (["-x"], 2, "-x"),
        (["--what-if", "nonsense"], 2, "KEY=VALUE"),
        (["--what-if"], 2, "--what-if"),
        (["--exit-code", "bad"], 2, "bad"),
        (["--signal", "SIGFOO"], 2, "SIGFOO"),
        (["--format", "yaml", "-"], 2, "yaml"),
        (["FG204", "--exit-code", "137"], 2, "FG204"),
        (["FG204", "--format", "json"], 2, "Expected them with"),
        (["crash.log"], 5, "crash.log, which does not exist"),
        ([__file__], 2, "which is a script. Expected what it wrote"),
        (["logs/today"], 5, "logs/today"),
        (["/nonexistent"], 5, "/nonexistent"),
        (["."], 5, "a folder without logs"),
        (["-", "--facts", "none.json"], 5, "none.json"),
        (["-", "--kernel-log", "none.txt"], 5, "none.txt"),
        (["-", "--kernel-log", ".."], 5, "Is a directory"),
    ],
)
def test_wrong_usage_and_unreadable_input(arguments, code, message, tmp_path):
    done = fitguard("explain", *arguments, cwd=tmp_path)
    assert done.returncode == code, done.stderr
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert "itself failed" not in done.stderr
    assert done.stdout == ""


def test_a_file_whose_reading_breaks_off_is_noted_once():
    answer = explained("/proc/self/mem")
    (note,) = answer["notes"]
    assert "/proc/self/mem" in note
    assert "Input/output error" in note


def test_without_arguments_and_runs_it_says_what_can_be_asked(tmp_path):
    done = fitguard("explain", stdin=OOM, cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout.startswith("There is no guarded run here.\n")
    assert len(done.stdout.splitlines()) < 10


def test_a_run_that_was_cut_off_is_not_called_well(tmp_path):
    folder = RunFolder(tmp_path / "fitguard-runs" / "night-1")
    folder.path.mkdir(parents=True)
    journal = Journal(folder.journal)
    journal.append(RunStarted(time=now(), id="night-1", command=("train.py",)))
    journal.append(AttemptStarted(time=now(), attempt=1, pid=1, orders=Orders()))
    folder.output.write_text("Epoch 1/9\n")
    done = fitguard("explain", "night-1", cwd=tmp_path)
    assert done.returncode == 0
    assert "The run was cut off, and nobody saw how." in done.stdout
    assert "fitguard run --resume night-1" in done.stdout


def test_the_list_of_causes_then_codes():
    done = fitguard("explain", "--list")
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    slugs = [line.split()[0] for line in lines if line.strip()]
    assert slugs.index("gpu-oom") < slugs.index("FG101") < slugs.index("FG204")


def test_pages_of_codes_groups_and_causes():
    page = fitguard("explain", "cudnn-too-old").stdout
    assert page.startswith("# FG204 cudnn-too-old")
    assert page == fitguard("explain", "fg204").stdout
    group = [line.split()[0] for line in fitguard("explain", "FG2").stdout.splitlines()]
    assert "FG204" in group
    assert "FG301" not in group
    detector = fitguard("explain", "gpu-leak").stdout
    assert detector.startswith("# FG410 gpu-leak")
    assert "## How it is judged" in detector
    cause = fitguard("explain", "GPU-OOM").stdout
    assert cause.startswith("# gpu-oom\n")
    assert "## How to fix it" in cause


def test_a_slug_of_both_shows_the_cause_and_points_to_the_check():
    page = fitguard("explain", "driver-too-old").stdout
    assert page.startswith("# driver-too-old\n")
    assert page.endswith("fitguard explain FG304\n")


@pytest.mark.parametrize("form", sorted(FORMATS.keys() - {"json"}))
def test_the_other_formats(form, log):
    done = fitguard("explain", log, "--format", form)
    assert done.returncode == 0
    assert "gpu-oom" in done.stdout


def test_output_into_a_file(log, tmp_path):
    done = fitguard("explain", log, "--output", tmp_path / "why.html")
    assert (done.returncode, done.stdout) == (0, "")
    assert (tmp_path / "why.html").read_text().startswith("<!DOCTYPE html>")


def test_text_names_cause_line_and_fix(log):
    text = fitguard("explain", log, COLUMNS="100").stdout
    assert text.startswith("✖ gpu-oom: ")
    assert "train.log:2" in text
    assert "fix: " in text
    assert "Harmless: 1 line" in text
    assert "\x1b" not in text


def test_private_names_are_taken_out(tmp_path):
    file = tmp_path / "train.log"
    file.write_text(
        "bob@titan3:~/x$ python /home/bob/train.py\n" + OOM.replace("Op:", "/home/bob/")
    )
    hidden = fitguard("explain", file, "--format", "json").stdout
    assert "bob" not in hidden
    shown = fitguard("explain", file, "--format", "json", "--show-private").stdout
    assert "/home/bob/" in shown


@pytest.mark.parametrize("form", FORMATS)
def test_a_hostile_log_sends_nothing_to_the_terminal(form, tmp_path):
    file = tmp_path / "bad\x1b[31m.log"
    hostile = OOM.replace("allocator GPU", "\x1b]0;owned\x07\x9b2J\u202e<script>[bold] GPU")
    file.write_bytes(hostile.encode() + b"\xff\xfe\x00" + os.urandom(1000))
    done = fitguard("explain", file, "--format", form, "--verbose")
    assert done.returncode == 0, done.stderr
    assert not {c for c in done.stdout if (c < " " and c != "\n") or "\x7f" <= c <= "\x9f"}
    assert form != "html" or "<script>" not in done.stdout


def test_a_missing_hostile_name_is_told_without_escapes():
    done = fitguard("explain", "x\x1b[31m.log")
    assert done.returncode == 5
    assert "\x1b" not in done.stderr


def test_a_terminal_that_knows_ascii_only(log):
    done = fitguard("explain", log, PYTHONIOENCODING="ascii", LC_ALL="C")
    assert done.returncode == 0
    assert done.stdout.isascii()


def test_json_needs_neither_rich_nor_jinja(log):
    script = (
        "import sys\n"
        "from fitguard.cli.main import run\n"
        f"run(['explain', {str(log)!r}, '--format', 'json'])\n"
        "sys.stderr.write(' '.join(sys.modules))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    loaded = set(done.stderr.split())
    assert "fitguard.crash.explanation" in loaded
    assert not {"rich.console", "jinja2", "tensorflow"} & loaded
    assert "fitguard.checks.cudnn_too_old" not in loaded


def test_a_slow_pipe_shows_a_sign_of_life_on_a_terminal():
    main, other = pty.openpty()
    child = subprocess.Popen(
        [FITGUARD, "explain", "-", "--format", "json"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=other,
        env={**os.environ, "TERM": "xterm"},
    )  # fmt: skip
    os.close(other)
    shown = b""
    while b"Reading -" not in shown and select.select([main], [], [], 60)[0]:
        shown += os.read(main, 4096)
    answer, _ = child.communicate(OOM.encode(), timeout=300)
    os.close(main)
    assert b"Reading -" in shown
    assert json.loads(answer)["primary"] == "gpu-oom"
