"""The program that calls the function of a job, as the training of a run does."""

import json
import linecache
import os
import subprocess
import sys

import pytest

from fitguard.clean_start import words_to_run
from fitguard.fleet.functions import CALLING
from fitguard.fleet.jobs import build_jobs
from fitguard.fleet.parcels import FUNCTION_VARIABLE, keeping

SECONDS = 120
MODULE = """
import helper, sys
from pathlib import Path

def train(out, lr=0.1):
    import __main__
    Path(out).write_text(f"{lr!r} {helper.FACTOR} {sys.argv[1:]} {vars(__main__).get('main')}")
"""


def call(folder, command, variables, environment=()):
    python = [sys.executable, *words_to_run(CALLING)]
    return subprocess.run(
        [*python, *command[2:]],
        cwd=folder,
        env={**os.environ, **dict(environment), **variables},
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )


def call_job(folder, **job):
    (made,) = build_jobs([{"name": "a", **job}], folder=folder)
    with keeping(made.parcels) as variables:
        return call(folder, made.command, variables, made.environment)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "train.py").write_text(MODULE)
    (tmp_path / "helper.py").write_text("FACTOR = 3")
    return tmp_path


def test_by_its_name_in_the_folder_of_the_job(folder):
    arguments = {"out": "out.txt", "lr": 1e-3}
    ended = call_job(folder, function="project.train:train", arguments=arguments)
    assert ended.returncode == 0, ended.stderr
    assert (folder / "out.txt").read_text() == "0.001 3 [] None"
    assert ended.stderr == ""


def run_notebook(code):
    """A function of a notebook: its source is in no file."""
    names = {"__name__": "__main__"}
    file = "/tmp/ipykernel_1/1.py"
    linecache.cache[file] = (len(code), None, code.splitlines(keepends=True), file)
    exec(compile(code, file, "exec"), names)
    return names


CELL = """
import inspect
from pathlib import Path
LIMIT = 7
class Net:
    def double(self): return 2 * LIMIT
def train(out, data):
    source = inspect.getsource(train).splitlines()[0]
    Path(out).write_text(f"{Net().double()} {data} {source}")
    return 5
"""


def test_a_function_of_a_notebook_with_what_it_uses(folder):
    train = run_notebook(CELL)["train"]
    ended = call_job(folder, function=train, arguments={"out": "out.txt", "data": {1, 2}})
    assert ended.returncode == 0, ended.stderr
    assert (folder / "out.txt").read_text() == "14 {1, 2} def train(out, data):"
    assert "__main__:train has returned something (int), which nobody keeps" in ended.stderr


def test_an_error_of_the_function_is_not_ours(folder):
    ended = call_job(folder, function=lambda: 1 / 0)
    assert ended.returncode == 1
    assert "ZeroDivisionError" in ended.stderr


def test_what_is_kept_is_for_the_user_alone_and_ends_with_its_process(folder):
    with keeping((b"x",)) as variables:
        path = variables[FUNCTION_VARIABLE]
        assert os.stat(path).st_mode & 0o777 == 0o600  # noqa: PTH116
        assert {one.name for one in folder.iterdir()} == {"project", "helper.py"}
    assert not os.path.exists(path)  # noqa: PTH110
    train = run_notebook(CELL)["train"]
    job = {"name": "a", "function": train, "arguments": {"out": "o", "data": 1}}
    (made,) = build_jobs([job], folder=folder)
    for variables in ({}, {FUNCTION_VARIABLE: path}):
        ended = call(folder, made.command, variables)
        assert ended.returncode == 4
        assert "start the fleet again, and it goes on with this run" in ended.stderr


def test_code_that_others_can_write_is_not_run(folder):
    (made,) = build_jobs([{"name": "a", "function": lambda: None}])
    with keeping(made.parcels) as variables:
        os.chmod(variables[FUNCTION_VARIABLE], 0o666)  # noqa: PTH101
        ended = call(folder, made.command, variables)
    assert ended.returncode == 4
    assert "may hold the code of somebody else" in ended.stderr


def test_another_python_and_a_module_that_is_missing(folder, monkeypatch):
    def train():
        return json.dumps(1)

    with monkeypatch.context() as patch:
        patch.setattr("fitguard.fleet.parcels._PYTHON", (3, 7))
        assert "a function of Python 3.7, and this is" in call_job(folder, function=train).stderr
    gone = type(sys)("gone_module")
    gone.__spec__ = json.__spec__
    monkeypatch.setitem(sys.modules, "gone_module", gone)
    names = run_notebook("import gone_module\ndef train(): return gone_module")
    ended = call_job(folder, function=names["train"])
    assert ended.returncode == 4
    assert "No module named 'gone_module'" in ended.stderr
    assert "on every node" in ended.stderr


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("project.train:trian", "{}", "there is no trian in"),
        ("project.train:train", '{"out": "o", "x": 1}', "unexpected keyword argument 'x'"),
    ],
)
def test_what_only_the_node_can_tell(folder, name, text, expected):
    ended = call(folder, ("-m", CALLING, name, text), {})
    assert ended.returncode == 4
    assert expected in ended.stderr
