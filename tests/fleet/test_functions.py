"""Functions as jobs: what is sent by name, what is packed, and what strangers get wrong."""

import functools
import json
import os
import sys
import threading

import numpy as np
import pytest
from fleet.scripts.waits_here import Waits, wait, wait_async, wait_by_parts

from fitguard.fleet.functions import CALLING, PATH_VARIABLE, name_function
from fitguard.fleet.jobs import build_jobs
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.fleet import FleetJob

HERE = "fleet.scripts.waits_here"


def build(**job):
    return build_jobs([{"name": "a", **job}])[0]


def read_command(job):
    assert job.command[:2] == ("-m", CALLING)
    return job.command[2], json.loads(job.command[3])


def test_what_can_be_imported_is_sent_by_its_name():
    job = build(function=wait, arguments={"out": "o.txt", "lr": 0.1, "deep": {"b": [1, None]}})
    told = {"out": "o.txt", "lr": 0.1, "deep": {"b": [1, None]}}
    assert read_command(job) == (f"{HERE}:wait", told)
    assert job.parcels == ()
    assert job.function is None
    # What the folder of the job does not lead to, the path of this process does.
    assert os.path.dirname(os.path.dirname(__file__)) in job.environment[PATH_VARIABLE].split(":")  # noqa: PTH120
    assert not any("site-packages" in one for one in job.environment[PATH_VARIABLE].split(":"))


def test_its_words_do_not_depend_on_the_order_of_arguments():
    one = build(function=wait, arguments={"out": "o", "lr": 1})
    other = build(function=wait, arguments={"lr": 1, "out": "o"})
    assert one.command == other.command


def test_what_cannot_be_imported_is_packed():
    captured = np.arange(3)
    job = build(function=lambda lr, data: captured * lr * data, arguments={"lr": 2, "data": (1, 2)})
    name, arguments = read_command(job)
    assert name == f"{__name__}:test_what_cannot_be_imported_is_packed.<locals>.<lambda>"
    assert arguments == {"lr": 2}
    assert len(job.parcels) == 2
    assert name_function(Waits().wait) == ""
    assert name_function(functools.partial(wait, "o")) == ""
    assert name_function(Waits.wait) == f"{HERE}:Waits.wait"


def test_a_function_of_many_jobs_is_packed_once():
    sweep = {"lr": [0.1, 0.01]}
    one, other = build_jobs([{"name": "a-{lr}", "function": lambda lr: lr, "sweep": sweep}])
    assert one.parcels[0] is other.parcels[0]
    assert [read_command(job)[1] for job in (one, other)] == [{"lr": 0.1}, {"lr": 0.01}]


def test_a_sweep_over_interpreters_is_no_argument():
    job = {"name": "a-{v}", "function": f"{HERE}:wait", "arguments": {"out": "o"}}
    (made,) = build_jobs([{**job, "python": "/py{v}", "sweep": {"v": ["3.12"]}}])
    assert made.python == "/py3.12"
    assert read_command(made)[1] == {"out": "o"}


def test_values_of_a_sweep_keep_their_types():
    job = {
        "name": "a-{lr}-{out}",
        "function": wait,
        "arguments": {"deep": ["{lr}", "lr={lr}", "{other}"]},
        "environment": {"OUT": "{out}"},
        "sweep": {"lr": [np.float64(0.5)], "out": ["x"]},
    }
    # `out` goes where it stands in braces, and nowhere else.
    with pytest.raises(UsageError, match="missing a required argument: 'out'"):
        build_jobs([job])
    job["arguments"]["out"] = "{out}.txt"
    (made,) = build_jobs([job])
    assert read_command(made)[1] == {"deep": [0.5, "lr=0.5", "{other}"], "out": "x.txt"}
    assert made.environment["OUT"] == "x"
    job["arguments"]["deep"] = 1
    (made,) = build_jobs([job])
    assert read_command(made)[1] == {"deep": 1, "lr": 0.5, "out": "x.txt"}


def test_a_job_that_was_made_in_python():
    job = FleetJob(name="a", folder="/x", function=wait, arguments={"out": "o"})
    assert read_command(build_jobs([job])[0]) == (f"{HERE}:wait", {"out": "o"})
    with pytest.raises(UsageError, match="a script and its arguments, or a function"):
        build_jobs([FleetJob(name="a", folder="/x", function=wait, command=("t.py",))])


lock = threading.Lock()
MISTAKES = {
    "called": ({"function": None}, "Received function: nothing. Expected a function, or where"),
    "no name": ({"function": "train"}, "package.module:train"),
    "number": ({"function": 3}, "Received function: 3"),
    "async": ({"function": wait_async}, "this one is async"),
    "generator": ({"function": wait_by_parts}, "this one is a generator"),
    "both": ({"function": wait, "run": "t.py"}, "Received run and function. Expected one of them"),
    "beside run": ({"run": "t.py", "arguments": {}}, "Received arguments beside run"),
    "missing": (
        {"function": wait},
        "missing a required argument: 'out'. Expected those of wait(ou",
    ),
    "unknown": (
        {"function": wait, "arguments": {"out": "o", "learning": 1}},
        "Received arguments: out, learning, but got an unexpected keyword argument 'learning'",
    ),
    "list": ({"function": wait, "arguments": ["o"]}, "values by name: arguments: {lr: 0.1}"),
    "no JSON": (
        {"function": wait, "arguments": {"out": ("a", 1)}},
        f"Received arguments: out: ('a', 1). Expected what JSON can tell, because {HERE}:wait is",
    ),
    "nan": ({"function": wait, "arguments": {"out": float("nan")}}, "Received arguments: out: nan"),
    "no pickle": ({"function": lambda: lock.acquire()}, "lock (used by <lambda>) cannot be taken"),
    "no pickle in arguments": (
        {"function": lambda out: out, "arguments": {"out": threading.Lock()}},
        "arguments['out'] cannot be taken",
    ),
    "large": (
        {"function": wait, "arguments": {"out": "x" * 2**17}},
        "Expected at most 64.0 KiB: give the function the name of a file",
    ),
    "twice": (
        {"name": "{out}", "function": wait, "arguments": {"out": "o"}, "sweep": {"out": ["a"]}},
        "Received out in arguments and in sweep",
    ),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_mistakes_are_told_before_anything_starts(case):
    job, expected = MISTAKES[case]
    with pytest.raises(UsageError) as raised:
        build_jobs([{"name": "a", **job}])
    assert str(raised.value).startswith("job ")
    assert expected in str(raised.value)


def test_too_much_data_in_a_closure():
    data = np.zeros(2**24)
    with pytest.raises(UsageError, match=r"takes 128.0 MiB .* Expected at most 64.0 MiB"):
        build(function=lambda: data)


def test_a_module_of_no_file_is_packed(monkeypatch):
    module = type(sys)("typed_in")
    exec("def train(): pass", vars(module))
    monkeypatch.setitem(sys.modules, "typed_in", module)
    assert name_function(module.train) == ""
