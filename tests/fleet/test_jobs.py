"""The file of jobs: what it means, and what is said where it means nothing."""

import contextlib
import json
import re
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from fitguard.fleet.declared import read_declared
from fitguard.fleet.jobs import WrongJob, build_jobs, find_grace, read_jobs
from fitguard.schema.exit_codes import UnreadableInput, UsageError
from fitguard.schema.fleet import FleetJob

WHOLE = """\
defaults:
  memory: 13GiB
  environment: {TF_DETERMINISTIC_OPS: "1", A: old}
jobs:
  - name: resnet-1
    run: train.py --lr 0.1 --title 'two words'
    folder: project
    priority: 5
    workers: 2
    cards: ["*H200*", "*A100*"]
    options: --snapshot-seconds 60
    python: /opt/python
    environment: {A: yes}
    memory: 512MiB
    takes: 1h 30min
  - name: sweep-{lr}-{seed}
    run: [train.py, --lr, "{lr}", --seed, "{seed}"]
    sweep: {lr: [0.10, 1e-2], seed: [1, 2, 3]}
"""


def read(tmp_path, text):
    path = tmp_path / "jobs.yaml"
    path.write_text(text)
    return read_jobs(path)


def test_all_keys(tmp_path):
    first, *sweep = read(tmp_path, WHOLE)
    assert first == FleetJob(
        name="resnet-1",
        command=("train.py", "--lr", "0.1", "--title", "two words"),
        folder=str(tmp_path / "project"),
        environment={"TF_DETERMINISTIC_OPS": "1", "A": "yes"},
        memory_bytes=512 << 20,
        takes_seconds=5400.0,
        priority=5,
        workers=2,
        cards=("*H200*", "*A100*"),
        options=("--snapshot-seconds", "60"),
        python="/opt/python",
    )
    assert [job.name for job in sweep] == [
        f"sweep-{lr}-{seed}" for lr in ("0.10", "1e-2") for seed in (1, 2, 3)
    ]
    assert sweep[5].command == ("train.py", "--lr", "1e-2", "--seed", "3")
    assert {job.memory_bytes for job in sweep} == {13 << 30}
    assert sweep[0].folder == str(tmp_path)


def test_values_stay_as_they_are_written(tmp_path):
    (job,) = read(tmp_path, "jobs: [{name: a, run: t.py, environment: {A: 010, B: 1.10, C: off}}]")
    assert job.environment == {"A": "010", "B": "1.10", "C": "off"}


def test_a_value_with_spaces_stays_one_word(tmp_path):
    text = "jobs: [{name: 'a{n}', run: 't.py {t} {json}', sweep: {n: [1], t: ['x y']}}]"
    (job,) = read(tmp_path, text.replace("run: 't.py", "run: 't.py {n}"))
    assert job.command == ("t.py", "1", "x y", "{json}")


def test_a_sweep_over_interpreters(tmp_path):
    text = "jobs: [{name: 'a{v}', run: t.py, python: '/py{v}', sweep: {v: [3.11, 3.12]}}]"
    assert [job.python for job in read(tmp_path, text)] == ["/py3.11", "/py3.12"]


@pytest.mark.parametrize(
    ("options", "environment", "seconds"),
    [
        ("", {}, None),
        ("--grace-seconds 600", {}, 600),
        ("--exact-only --grace_seconds=90.5", {}, 90.5),
        ("--snapshot-seconds 60", {"FITGUARD_RUN_GRACE_SECONDS": "40"}, 40),
        ("--grace-seconds 600", {"FITGUARD_RUN_GRACE_SECONDS": "40"}, 600),
        ("--grace-seconds", {}, None),
        ("--grace-seconds long", {}, None),
        ("--grace-seconds inf", {}, None),
    ],
)
def test_the_time_to_leave_that_a_job_asks_for(options, environment, seconds):
    job = {"name": "a", "run": "t.py", "options": options, "environment": environment}
    assert find_grace(build_jobs([job])[0]) == seconds


def test_anchors_and_merges(tmp_path):
    text = "jobs:\n  - &one {name: a, run: t.py, priority: 3}\n  - {<<: *one, name: b}\n"
    assert [(job.name, job.priority) for job in read(tmp_path, text)] == [("a", 3), ("b", 3)]


ONE = "jobs:\n  - name: a\n    run: t.py\n"
WRONG = {
    "empty": ("", "jobs.yaml: Received an empty file. Expected `jobs:`"),
    "comment": ("# nothing", "Received an empty file"),
    "text": ("train.py", "line 1: Received a text. Expected `jobs:`"),
    "no jobs": ("defaults: {}\n", "Received no jobs"),
    "jobs of keys": ("jobs: {a: b}", "line 1: Received jobs: keys"),
    "empty jobs": ("jobs: []", "Received no jobs"),
    "top key": (f"{ONE}job: 1\n", "line 4: Received the key 'job'"),
    "broken": ("jobs:\n  - name: 'a\n", "line 3: no YAML: found unexpected end of stream"),
    "tab": ("jobs:\n\t- name: a", "line 2: no YAML: found character"),
    "two documents": (f"{ONE}---\n{ONE}", "no YAML"),
    "object": ("jobs: !!python/object/apply:os.system [ls]", "could not determine a constructor"),
    "own tag": ("jobs: !run x", "could not determine a constructor"),
    "itself": ("jobs: &a [*a]", "Received a list"),
    "deep": ("jobs: " + "[" * 1500, "nested too deeply"),
    "job of text": ("jobs:\n  - train.py\n", "line 2: job 1: Received a text"),
    "no name": ("jobs: [{run: t.py}]", "job 1: Received no name"),
    "no run": ("jobs:\n\n  - name: a", "line 3: job a: Received no run"),
    "typo": (f"{ONE}    memmory: 1G\n", "line 4: job a: Received the key 'memmory'. Did you mean"),
    "doubled key": (f"{ONE}    run: u.py\n", "line 4: Received the key run twice"),
    "doubled name": (f"{ONE}  - name: a\n    run: u.py\n", "line 4: job a: Received two jobs"),
    "folder name": ("jobs: [{name: a/b, run: t.py}]", "Received name: 'a/b'. Expected up to 64"),
    "reserved name": ("jobs: [{name: last, run: t.py}]", "means something else"),
    "size": (f"{ONE}    memory: much\n", "line 4: job a: Received memory='much'. Expected a size"),
    "small size": (f"{ONE}    memory: 13\n", "at least 1MiB"),
    "time": (f"{ONE}    takes: 3\n", "line 4: job a: Received takes: '3'. Expected a time"),
    "time of words": (f"{ONE}    takes: 3 hours\n", "Received takes: '3 hours'. Expected a time"),
    "no time at all": (f"{ONE}    takes: 0s\n", "Received takes: '0s'. Expected a time"),
    "time without an end": (f"{ONE}    takes: 4000d\n", "Expected a time of up to ten years"),
    "no size": (f"{ONE}    memory: [1]\n", "Expected a size"),
    "priority": (f"{ONE}    priority: high\n", "line 4: job a: Received priority: 'high'"),
    "no priority": (f"{ONE}    priority:\n", "Received priority: nothing"),
    "workers": (f"{ONE}    workers: 0\n", "Received workers: '0'. Expected 1 to 1000"),
    "cards": (f"{ONE}    cards: {{a: b}}\n", "Received cards"),
    "no command": ("jobs: [{name: a, run: ''}]", "Received run: ''. Expected a script"),
    "open quote": ('jobs: [{name: a, run: "t.py \'x"}]', "No closing quotation"),
    "command of numbers": ("jobs: [{name: a, run: {t.py: 1}}]", "or a list of words"),
    "variables": (f"{ONE}    environment: [A=1]\n", "Expected a mapping"),
    "deep variable": (f"{ONE}    environment: {{A: [1]}}\n", "Received environment: A: ['1']"),
    "a card of its own": (f"{ONE}    environment: {{CUDA_VISIBLE_DEVICES: 1}}\n", "the cards"),
    "option as variable": (f"{ONE}    environment: {{FITGUARD_RUN_GANG: x}}\n", "as --gang"),
    "command as option": (f"{ONE}    options: u.py\n", "Received options: 'u.py'"),
    "command behind options": (f"{ONE}    options: --quiet -- u.py\n", "belongs into `run:`"),
    "defaults": (f"{ONE}defaults: [1]\n", "line 4: defaults: Received a list"),
    "name for all": (f"{ONE}defaults:\n  name: x\n", "line 5: defaults: Received name"),
    "wrong default": (f"defaults:\n  memory: x\n{ONE}", "line 2: defaults: Received memory='x'"),
    "sweep": (f"{ONE}    sweep: [1]\n", "line 4: job a: Received sweep: ['1']"),
    "empty sweep": (f"{ONE}    sweep: {{x: []}}\n", "Expected a list of values"),
    "sweep of lists": (f"{ONE}    sweep: {{x: [[1]]}}\n", "in the sweep of x"),
    "value twice": (f"{ONE}    sweep: {{x: [1, 1]}}\n", "a value twice"),
    "unused": ("jobs: [{name: 'a{x}', run: t.py, sweep: {x: [1, 2]}}]", "does not get"),
    "one name": ("jobs: [{name: a, run: 't.py {x}', sweep: {x: [1, 2]}}]", "one name for a sweep"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_cannot_be_names_file_and_line(tmp_path, case):
    text, expected = WRONG[case]
    with pytest.raises(UnreadableInput) as raised:
        read(tmp_path, text)
    assert str(raised.value).startswith(str(tmp_path / "jobs.yaml"))
    assert expected in str(raised.value)


MANY = """\
defaults:
  memory: much
  name: x
jobs:
  - name: a
    run: t.py
    memmory: 1G
    priority: high
  - name: b
    memory: little
  - {name: c, run: t.py}
  - {name: c, run: t.py}
  - {name: d, run: t.py, sweep: {x: [1, 2], y: [1, 1]}}
  - {name: e, run: t.py, sweep: {x: [1, 2], y: [1, 2]}}
  - just a text
job: 1
"""


def test_all_mistakes_are_told_at_once(tmp_path):
    with pytest.raises(UnreadableInput) as raised:
        read(tmp_path, MANY)
    told = [
        line.removeprefix(str(tmp_path / "jobs.yaml, ")) for line in str(raised.value).split("\n")
    ]
    begun = [
        "line 2: defaults: Received memory='much'",
        "line 3: defaults: Received name",
        "line 7: job a: Received the key 'memmory'. Did you mean memory?",
        "line 8: job a: Received priority: 'high'",
        "line 9: job b: Received no run",
        "line 10: job b: Received memory='little'",
        "line 12: job c: Received two jobs",
        "line 13: job d: Received a value twice in the sweep of y",
        "line 14: job e: Received a sweep over x",
        "line 14: job e: Received one name for a sweep over x",
        "line 14: job e: Received a sweep over y",
        "line 14: job e: Received one name for a sweep over y",
        "line 15: job 7: Received a text",
        "line 16: Received the key 'job'",
    ]
    assert len(told) == len(begun)
    for line, beginning in zip(told, begun, strict=True):
        assert line.startswith(beginning)


def test_the_first_twenty_mistakes(tmp_path):
    jobs = "".join(f"  - {{name: j{number}, runs: t.py}}\n" for number in range(50))
    with pytest.raises(UnreadableInput) as raised:
        read(tmp_path, f"jobs:\n{jobs}")
    *told, last = str(raised.value).split("\n")
    assert len(told) == 20
    assert last == "and 80 more"


def test_functions_in_a_file_get_values_with_their_types(tmp_path):
    (tmp_path / "net.py").write_text("def train(lr, deep, title, on, seed): ...")
    text = """
jobs:
  - name: a-{seed}
    function: net:train
    arguments: {lr: 1e-3, deep: [0.10, {a: -2, b: "2"}], title: no, on: true}
    sweep: {seed: [1, 2]}
"""
    one, other = read(tmp_path, text)
    told = {"deep": [0.1, {"a": -2, "b": "2"}], "lr": 0.001, "on": True, "title": "no"}
    assert [json.loads(job.command[3]) for job in (one, other)] == [
        {**told, "seed": 1},
        {**told, "seed": 2},
    ]
    with pytest.raises(UnreadableInput, match=r"line 3: .*missing a required argument: 'seed'"):
        read(tmp_path, text.partition("    sweep")[0].replace("  - name: a-{seed}", "  - name: a"))


@pytest.mark.parametrize(
    ("written", "seconds"),
    [("45s", 45), ("90min", 5400), ("90 m", 5400), ("3h", 10800), ("1.5h", 5400), (".5H", 1800),
     ("2d", 172800), ("1h30min", 5400), ("1d 2h 3min 4s", 93784)],
)  # fmt: skip
def test_times(tmp_path, written, seconds):
    (job,) = read(tmp_path, f"{ONE}    takes: {written}\n")
    assert job.takes_seconds == seconds


@pytest.mark.parametrize(
    "option",
    ["--name x", "--resume", "--resume=auto", "--runs-folder y", "--runs y", "--gang g",
     "--worker 1", "--workers=2", "--memory-limit 1G", "--runs_folder=y", "--preempt-exit-code 1",
     "--quiet --python x"],
)  # fmt: skip
def test_options_that_the_fleet_sets_itself(tmp_path, option):
    with pytest.raises(UnreadableInput, match="which the fleet sets itself"):
        read(tmp_path, f"{ONE}    options: {option}\n")


def test_the_example_fits_the_cards_that_it_names():
    path = Path(__file__).parents[2] / "examples" / "fleet.yaml"
    declared = re.search(r"FITGUARD_CARDS=(\S+)", path.read_text())[1]
    assert declared in (path.parents[1] / "README.md").read_text()
    room = min(memory_bytes for _, memory_bytes in read_declared(declared))
    jobs = read_jobs(path)
    assert [job.name for job in jobs] == ["digest-1", "digest-2", "digest-3", "urgent"]
    assert all(job.memory_bytes <= room for job in jobs)
    assert all((Path(job.folder) / job.command[0]).is_file() for job in jobs)


def test_far_too_many():
    values = list(range(1000))
    with pytest.raises(WrongJob, match="a sweep of 1,000,000 jobs"):
        build_jobs([{"name": "{a}-{b}", "run": "t {a} {b}", "sweep": {"a": values, "b": values}}])


def test_names_that_differ_in_case_only(tmp_path):
    text = f"{ONE}  - name: A\n    run: u.py\n"
    with pytest.raises(UnreadableInput, match=r"line 4: job A: Received jobs a and A whose runs"):
        read(tmp_path, text)


def test_runs_of_a_gang_have_names_too():
    jobs = [{"name": "a", "run": "t.py", "workers": 2}, {"name": "a-worker-1", "run": "t.py"}]
    with pytest.raises(WrongJob, match="jobs a and a-worker-1 whose runs would be called a-worker"):
        build_jobs(jobs)
    with pytest.raises(WrongJob, match="at most 48 characters"):
        build_jobs([{"name": "a" * 49, "run": "t.py", "workers": 2}])


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"jobs: \x80"])
def test_no_text(tmp_path, content):
    path = tmp_path / "jobs.yaml"
    path.write_bytes(content)
    with pytest.raises(UnreadableInput, match=r"jobs.yaml: no text in UTF-8 \(byte 0|6\)"):
        read_jobs(path)


def test_no_file(tmp_path):
    with pytest.raises(UnreadableInput, match=r"No such file.*Expected the file of all trainings"):
        read_jobs(tmp_path / "jobs.yaml")
    with pytest.raises(UnreadableInput, match=r"a directory. Expected the file of all trainings"):
        read_jobs(tmp_path)


def test_no_library(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "yaml", None)
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(UsageError, match=r"pip install 'fitguard\[ray\]'"):
        read(tmp_path, ONE)


def test_from_python(tmp_path):
    ready = FleetJob(name="b", command=("t.py",), folder="/x")
    mapping = {"name": "a", "run": ["t.py"], "priority": 2, "memory": 1 << 30, "folder": "p"}
    one, two = build_jobs([mapping, ready], folder=tmp_path)
    assert (one.priority, one.memory_bytes, one.folder) == (2, 1 << 30, str(tmp_path / "p"))
    assert two is ready


@pytest.mark.parametrize(
    "job",
    [
        FleetJob(name="a b", command=("t.py",), folder="/x"),
        FleetJob(name="a", command=(), folder="/x"),
        FleetJob(name="a", command=("t.py",), folder="x"),
        FleetJob(name="a", command=("t.py",), folder="/x", workers=0),
        FleetJob(name="a", command=("t.py",), folder="/x", options=("--name", "b")),
        FleetJob(name="a", command=("t.py",), folder="/x", memory_bytes=5),
        FleetJob(name="a", command=("t.py",), folder="/x", takes_seconds=0.0),
        FleetJob(name="a", command=("t.py",), folder="/x", takes_seconds=float("nan")),
        {"name": "a", "run": "t.py", "takes": 3600},
        {"name": "a", "run": "t.py", "priority": True},
        {"name": "a", "run": "t.py", "environment": {"A": 0.1}},
        {"name": "a", "run": "t.py", 5: 6},
        None,
    ],
)
def test_wrong_from_python(job):
    with pytest.raises(UsageError, match=r"job .*Received"):
        build_jobs([job])


values = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats() | some.text(max_size=5),
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(some.text(max_size=3), inner),
    max_leaves=6,
)
keys = some.sampled_from(["name", "run", "folder", "memory", "takes", "environment", "priority",
                          "workers", "cards", "options", "python", "sweep", "function",
                          "arguments"])  # fmt: skip


@given(some.lists(some.dictionaries(keys, values), max_size=3))
def test_whatever_comes_is_a_job_or_a_clear_error(jobs):
    with contextlib.suppress(WrongJob):
        assert all(isinstance(job, FleetJob) for job in build_jobs(jobs))


@given(some.text(max_size=80) | some.binary(max_size=80))
def test_whatever_is_in_the_file(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("jobs") / "jobs.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    with pytest.raises(UnreadableInput):
        read_jobs(path)
