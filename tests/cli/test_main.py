"""The command line as a user calls it: a real process, its output and its exit code."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from cli.process import FITGUARD, fitguard

from fitguard.cli.main import app, run
from fitguard.report.render import FORMATS


def test_help_names_every_command():
    done = fitguard("--help")
    assert done.returncode == 0
    answers = " ".join(done.stdout.split())
    for line in ("check Would this training get to its end?", "doctor Will this machine train?"):
        assert line in answers


@pytest.mark.parametrize("command", [name for name in app if not name.startswith("-")])
def test_every_command_has_help_with_examples(command):
    done = fitguard(command, "--help")
    assert done.returncode == 0
    assert f"fitguard {command}" in done.stdout.partition("Parameters")[0]


@pytest.mark.parametrize("command", ["check", "data", "plan"])
def test_an_option_of_the_script_belongs_behind_two_hyphens(command, capsys):
    assert run([command, "train.py", "--epochs", "3"]) == 2
    told = f"go behind two hyphens: fitguard {command} train.py -- --data images"
    assert told in capsys.readouterr().err


def test_version():
    import fitguard as package

    assert fitguard("--version").stdout.strip() == package.__version__


def test_importing_fitguard_imports_no_tensorflow():
    code = "import sys, fitguard; fitguard.doctor; print('tensorflow' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_run_loads_no_other_command():
    code = (
        "import sys; from fitguard.cli.main import run; run(['run', 'no-such-script.py']);"
        "print(sorted(name for name in sys.modules if name.startswith('fitguard.cli.')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "fitguard.cli.run_start" in done.stdout
    for other in ("check", "doctor", "probe", "data", "plan", "watch", "explain", "fleet"):
        assert f"'fitguard.cli.{other}'" not in done.stdout


def test_doctor_here_is_well():
    done = fitguard("doctor", "--python", sys.executable, "--format", "json")
    report = json.loads(done.stdout)
    assert report["schema"] == "fitguard/doctor/1"
    assert report["ok"] is True, report["findings"]
    assert report["facts"]["tensorflow"]["version"].startswith("2.")
    assert done.returncode == 0
    assert done.stderr == ""


def test_doctor_text_fits_one_screen():
    done = fitguard("doctor", "--python", sys.executable)
    assert len(done.stdout.splitlines()) <= 24, done.stdout


def test_findings_give_exit_code_3():
    done = fitguard("doctor", "--what-if", "tf=1.4.1", "keras=2.2.4")
    assert done.returncode == 3
    assert "keras" in done.stdout.lower()
    assert fitguard("doctor", "--what-if", "tf=1.4.1").returncode == 0


def test_fail_on():
    what_if = ("--what-if", "tf=1.4.1", "--what-if", "keras=2.2.4")
    assert fitguard("doctor", *what_if, "--fail-on", "never").returncode == 0
    assert fitguard("doctor", *what_if, "--fail-on", "warning").returncode == 3


def test_select_and_ignore():
    what_if = ("--what-if", "tf=1.4.1", "keras=2.2.4")
    assert fitguard("doctor", *what_if, "--ignore", "FG109").returncode == 0
    assert fitguard("doctor", *what_if, "--select", "FG2").returncode == 0
    assert fitguard("doctor", *what_if, "--select", "FG1").returncode == 3
    assert fitguard("doctor", *what_if, "--ignore", "FG2,keras-too-new-for-tf").returncode == 0


def test_configuration_of_a_project(tmp_path):
    (tmp_path / "pyproject.toml").write_text('[tool.fitguard]\nignore = ["FG109"]\n')
    done = fitguard("doctor", "--what-if", "tf=1.4.1", "keras=2.2.4", cwd=tmp_path)
    assert done.returncode == 0


def test_broken_configuration_names_the_file(tmp_path):
    (tmp_path / "pyproject.toml").write_text('[tool.fitguard]\nignored = ["FG109"]\n')
    done = fitguard("doctor", "--what-if", "tf=2.10", cwd=tmp_path)
    assert done.returncode == 5
    assert "pyproject.toml" in done.stderr
    assert "ignored" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["doctor", "--bogus"], 2, "--bogus"),
        (["doktor"], 2, "doktor"),
        (["doctor", "--what-if", "tf=9.9"], 2, "no release"),
        (["doctor", "--what-if", "gpu=GTX 9999"], 2, "not in the table"),
        (["doctor", "--what-if", "nonsense"], 2, "KEY=VALUE"),
        (["doctor", "--what-if"], 2, "without a value"),
        (["doctor", "--ignore", ""], 2, "Expected a code"),
        (["doctor", "--ignore", "FG7,"], 2, "Expected a code"),
        (["resolve", "--what-if", "gpu=T4", "--python", "/nonexistent"], 2, "another machine"),
        (["doctor", "--format", "xml"], 2, "xml"),
        (["doctor", "--select", "FG9"], 2, "FG9"),
        (["doctor", "--python", "/nonexistent/python"], 2, "/nonexistent/python"),
        (["doctor", "--python", "/etc/passwd"], 2, "/etc/passwd"),
        (["doctor", "--facts", "/nonexistent.json"], 5, "/nonexistent.json"),
        (["doctor", "--what-if", "tf=2.10", "--deep"], 2, "Expected one of"),
        (["resolve", "--what-if", "library-path=/usr/lib"], 2, "library-path"),
        (["resolve", "--format", "sarif", "--what-if", "gpu=T4"], 2, "SARIF"),
    ],
)
def test_wrong_usage_is_told_without_a_traceback(arguments, code, message):
    done = fitguard(*arguments)
    assert done.returncode == code, done.stderr
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_ten_megabytes_of_garbage_as_facts(tmp_path):
    file = tmp_path / "garbage.json"
    file.write_bytes(os.urandom(10 * 2**20))
    done = fitguard("doctor", "--facts", file)
    assert done.returncode == 5
    assert "garbage.json" in done.stderr
    assert len(done.stderr) < 1000


@pytest.mark.parametrize("option", ["--facts", "--what-if-file"])
@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_nesting_without_end(tmp_path, option, opening):
    file = tmp_path / "deep.json"
    file.write_text(opening * 200_000)
    done = fitguard("doctor", option, file)
    assert done.returncode == 5
    assert "nested too deeply" in done.stderr


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"tensorflow": {"version": 2}}', "tensorflow.version"),
        ('{"gpus": {}}', "gpus"),
        ('{"schema": "fitguard/run/1"}', "schema"),
        ("[]", "Received a list"),
        ("{}", "no facts of fitguard"),
        ('{"name": "left-pad"}', "Received the keys: name"),
        ('{"python":\n {"version": "3.11"},\n oops', "line 3"),
    ],
)
def test_facts_of_the_wrong_kind(tmp_path, content, message):
    file = tmp_path / "facts.json"
    file.write_text(content)
    done = fitguard("doctor", "--facts", file)
    assert done.returncode == 5
    assert message in done.stderr


def test_facts_go_round(tmp_path):
    file = tmp_path / "facts.json"
    saved = fitguard("facts", "--python", sys.executable, "--format", "json", "--output", file)
    assert (saved.returncode, saved.stdout) == (0, "")
    here = json.loads(fitguard("doctor", "--python", sys.executable, "--format", "json").stdout)
    read = json.loads(fitguard("doctor", "--facts", file, "--format", "json").stdout)
    assert [item["code"] for item in read["findings"]] == [
        item["code"] for item in here["findings"]
    ]
    assert read["facts"]["tensorflow"] == here["facts"]["tensorflow"]


def test_partial_facts(tmp_path):
    file = tmp_path / "partial.json"
    file.write_text('{"tensorflow": {"version": "1.4.1"}, "packages": {"found": '
                    '[{"name": "keras", "version": "2.2.4"}]}}')  # fmt: skip
    done = fitguard("doctor", "--facts", file)
    assert done.returncode == 3
    assert "FG109" in done.stdout


def test_output_into_a_folder_that_is_not_there(tmp_path):
    done = fitguard("facts", "--output", tmp_path / "none" / "facts.json")
    assert done.returncode == 2
    assert "No such file" in done.stderr


def test_private_names_are_taken_out():
    home = Path.home()
    hidden = fitguard("facts", "--python", sys.executable, "--format", "json").stdout
    shown = fitguard(
        "facts", "--python", sys.executable, "--format", "json", "--show-private"
    ).stdout
    assert json.loads(hidden)["python"]["version"] == json.loads(shown)["python"]["version"]
    assert f'"{home}/' not in hidden


def shell(command, cwd=None):
    return subprocess.run(
        command, shell=True, capture_output=True, text=True, check=False, cwd=cwd, timeout=300
    )


@pytest.mark.parametrize("form", ["text", "json", "html"])
def test_reader_that_goes_away(form):
    read_end, write_end = os.pipe()
    os.close(read_end)
    done = subprocess.run(
        [FITGUARD, "doctor", "--what-if", "tf=2.10", "--format", form],
        stdout=write_end,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        timeout=300,
    )
    os.close(write_end)
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.parametrize("form", ["text", "json"])
def test_full_disk(form):
    done = shell(f"{FITGUARD} doctor --what-if tf=2.10 --format {form} > /dev/full")
    assert done.returncode == 1
    assert done.stderr == "fitguard: the answer could not be written: No space left on device\n"


def test_closed_stdout():
    done = shell(f"{FITGUARD} doctor --what-if tf=1.4.1 keras=2.2.4 --format json >&-")
    assert (done.returncode, done.stderr) == (3, "")


def test_folder_that_was_deleted(tmp_path):
    folder = tmp_path / "gone"
    folder.mkdir()
    done = shell(f"rmdir {folder}; {FITGUARD} doctor --what-if tf=2.10", cwd=folder)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["doctor", "--help"],
        ["explain", "FG201"],
        *(["doctor", "--what-if", "tf=2.10", "gpu=K80", "--format", form]
          for form in FORMATS),
    ],
)  # fmt: skip
def test_a_terminal_that_knows_ascii_only(arguments):
    done = fitguard(*arguments, PYTHONIOENCODING="ascii", LC_ALL="C")
    assert done.returncode in (0, 3)
    assert done.stderr == ""
    assert done.stdout.isascii()


def test_columns_are_heeded():
    done = fitguard("doctor", "--what-if", "tf=1.4.1", "keras=2.2.4", COLUMNS="60")
    lines = [line for line in done.stdout.splitlines() if not line.lstrip().startswith("$")]
    assert max(map(len, lines)) <= 60


def test_output_tells_the_format_by_its_ending(tmp_path):
    for name, start in (
        ("a.html", "<!doctype"),
        ("a.json", "{"),
        ("a.md", "## "),
        ("a.txt", "✔ No problem"),
    ):
        fitguard("doctor", "--what-if", "tf=2.10", "--output", tmp_path / name)
        assert (tmp_path / name).read_text().lower().startswith(start.lower())


def test_resolve_from_saved_facts(tmp_path):
    file = tmp_path / "machine.json"
    file.write_text('{"gpus": [{"name": "Tesla K80"}], "platform": {"system": "linux"}}')
    done = fitguard("resolve", "--facts", file, "--format", "json")
    assert json.loads(done.stdout)["ok"], done.stderr


def test_no_color():
    coloured = fitguard("doctor", "--what-if", "tf=2.10", FORCE_COLOR="1").stdout
    plain = fitguard("doctor", "--what-if", "tf=2.10", NO_COLOR="1").stdout
    assert "\x1b[" in coloured
    assert "\x1b[" not in plain
