import os
import sys
import time
from pathlib import Path

import pytest
from facts.fake_site import (
    NEW_BUILD_INFO,
    install,
    make_environment,
    script,
    tensorflow_files,
)
from facts.fake_tree import plant
from programs import LONGEST_SECONDS

from fitguard.facts.interpreter import interview
from fitguard.schema.exit_codes import UsageError

PLAIN = {"PATH": os.environ["PATH"]}


def refused(python: Path | str, limit_seconds: float = 10.0) -> str:
    """The message with which an interpreter is refused."""
    with pytest.raises(UsageError) as caught:
        interview(str(python), PLAIN, limit_seconds)
    return str(caught.value)


def test_the_running_python_with_its_real_tensorflow() -> None:
    told = interview(None, PLAIN)
    assert told.python is not None
    assert told.python.version == ".".join(map(str, sys.version_info[:3]))
    assert told.python.prefix == sys.prefix
    assert told.python.origin == "the Python that runs fitguard"
    assert told.packages is not None
    assert told.packages.complete
    assert told.packages.first("numpy") is not None
    assert told.platform is not None
    assert told.platform.system == "linux"
    assert told.failed == ()


def test_tensorflow_is_found_and_not_imported(tmp_path: Path) -> None:
    python, site = make_environment(tmp_path)
    install(site, "tensorflow", "2.18.0", tensorflow_files(NEW_BUILD_INFO))
    told = interview(str(python), PLAIN)
    assert told.tensorflow is not None
    assert told.tensorflow.version == "2.18.0"
    assert told.tensorflow.cuda == "12.5.1"
    assert told.tensorflow_libraries[0] == site / "tensorflow/libtensorflow_framework.so.2"
    assert site in told.site_directories
    assert told.failed == ()


def test_the_virtual_environment_is_the_default(tmp_path: Path) -> None:
    make_environment(tmp_path)
    told = interview(None, {**PLAIN, "VIRTUAL_ENV": str(tmp_path)})
    assert told.python is not None
    assert told.python.prefix == str(tmp_path)
    assert told.python.origin == "$VIRTUAL_ENV"


def test_a_virtual_environment_that_is_gone(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="where no Python is"):
        interview(None, {**PLAIN, "VIRTUAL_ENV": str(tmp_path / "gone")})


def test_python_may_be_a_directory_or_a_name(tmp_path: Path) -> None:
    make_environment(tmp_path)
    by_directory = interview(str(tmp_path), PLAIN)
    by_name = interview("python", {"PATH": str(tmp_path / "bin")})
    assert by_directory.python is not None
    assert by_directory.python.prefix == str(tmp_path)
    assert by_directory.python.origin == "--python"
    assert by_name.python == by_directory.python


def test_the_environment_variables_reach_the_interpreter(tmp_path: Path) -> None:
    install(tmp_path, "numpy", "1.0")
    told = interview(sys.executable, {**PLAIN, "PYTHONPATH": str(tmp_path)})
    assert told.packages is not None
    first, second = told.packages.find_copies("numpy")
    assert first.version == "1.0"
    assert second.version != "1.0"


def test_a_chatty_start_does_no_harm(tmp_path: Path) -> None:
    plant(tmp_path, {"sitecustomize.py": "import sys; sys.stdout.write('hello' * 9999)"})
    told = interview(sys.executable, {**PLAIN, "PYTHONPATH": str(tmp_path)})
    assert told.python is not None


def test_an_odd_output_encoding_does_no_harm() -> None:
    assert interview(sys.executable, {**PLAIN, "PYTHONIOENCODING": "utf-16"}).python is not None


def test_a_tensorflow_of_unknown_version_belongs_to_nobody(tmp_path: Path) -> None:
    python, site = make_environment(tmp_path)
    plant(site, tensorflow_files(NEW_BUILD_INFO))
    told = interview(str(python), PLAIN)
    assert told.tensorflow is None
    assert told.packages is not None
    assert told.packages.unowned == str(site / "tensorflow")


def test_a_file_that_python_would_take_for_tensorflow(tmp_path: Path) -> None:
    python, site = make_environment(tmp_path)
    install(site, "tensorflow", "2.18.0", tensorflow_files(NEW_BUILD_INFO))
    plant(tmp_path, {"mine/tensorflow.py": ""})
    told = interview(str(python), {**PLAIN, "PYTHONPATH": str(tmp_path / "mine")})
    assert told.tensorflow is None
    assert told.packages is not None
    assert told.packages.unowned == str(tmp_path / "mine/tensorflow.py")


def test_a_file_in_the_current_folder_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(tmp_path, {"tensorflow.py": ""})
    monkeypatch.chdir(tmp_path)
    told = interview(sys.executable, PLAIN)
    assert told.packages is not None
    assert told.packages.shadows == (str(tmp_path / "tensorflow.py"),)
    assert told.packages.unowned is None
    assert told.tensorflow is not None


def test_no_such_path(tmp_path: Path) -> None:
    message = refused(tmp_path / "nothing/python")
    assert "does not exist" in message
    assert "Expected the path of a Python interpreter" in message


def test_no_such_name() -> None:
    assert "does not exist" in refused("python-that-nobody-has")


@pytest.mark.parametrize(
    ("python", "problem"),
    [
        ("~nosuchuser/python", "home directory"),
        ("x" * 5000, "File name too long"),
        ("/" + "x" * 300 + "/python", "File name too long"),
        ("bin/py\0thon", "NUL byte"),
    ],
)
def test_what_is_no_path(python: str, problem: str) -> None:
    message = refused(python)
    assert message.startswith("Received --python '")
    assert problem in message
    assert "Expected the path of a Python interpreter" in message
    assert "\0" not in message
    assert len(message) < 500


def test_a_virtual_environment_whose_path_is_too_long() -> None:
    with pytest.raises(UsageError, match="where no Python is"):
        interview(None, {**PLAIN, "VIRTUAL_ENV": "/" + "x" * 300})


def test_a_directory_without_python(tmp_path: Path) -> None:
    assert "no Python in it" in refused(tmp_path)


def test_not_executable(tmp_path: Path) -> None:
    path = tmp_path / "python"
    path.write_text("text")
    path.chmod(0o644)
    assert "may not be executed" in refused(path)


def test_no_program(tmp_path: Path) -> None:
    path = tmp_path / "python"
    path.write_bytes(b"\x00\x01garbage")
    path.chmod(0o755)
    assert "does not start" in refused(path)


def test_garbage_is_quoted(tmp_path: Path) -> None:
    path = script(tmp_path / "python", "print('I am no Python')\nprint('more')")
    assert "Received 'I am no Python' from" in refused(path)


def test_control_characters_are_not_passed_on(tmp_path: Path) -> None:
    message = refused(script(tmp_path / "python", r"print('\x1b[31mred\x07')"))
    assert "\x1b" not in message
    assert "red" in message


def test_silence(tmp_path: Path) -> None:
    assert "Received no output from" in refused(script(tmp_path / "python", ""))


def test_a_program_that_prints_the_agent_itself() -> None:
    assert "Received" in refused("cat")


@pytest.mark.parametrize("answer", ["{", "[]", '{"python": 3}', '{"python": {}}', "\\xff"])
def test_a_forged_answer(tmp_path: Path, answer: str) -> None:
    body = f"import os; os.write(1, b'FITGUARD-FACTS-1 ' + b'''{answer}''')"
    assert "Expected" in refused(script(tmp_path / "python", body))


def test_a_crash_is_told_with_its_signal(tmp_path: Path) -> None:
    assert "signal 11" in refused(
        script(tmp_path / "python", "import os; os.kill(os.getpid(), 11)")
    )


def test_a_failure_is_told_with_its_last_line(tmp_path: Path) -> None:
    message = refused(script(tmp_path / "python", "raise SystemExit('first\\nlicence expired\\n')"))
    assert "exit code 1" in message
    assert "'licence expired'" in message


def test_a_hang_ends_at_the_limit(tmp_path: Path) -> None:
    body = "import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(600)"
    start = time.monotonic()
    assert "Received no answer in 0.5 s" in refused(script(tmp_path / "python", body), 0.5)
    assert time.monotonic() - start < LONGEST_SECONDS


def test_a_leftover_of_pip_costs_nothing_else(tmp_path: Path) -> None:
    python, site = make_environment(tmp_path)
    install(site, "tensorflow", "2.21.0", tensorflow_files(NEW_BUILD_INFO))
    plant(site, {"~umpy-1.0.dist-info/": ""})
    told = interview(str(python), PLAIN)
    assert told.tensorflow is not None
    assert told.tensorflow.version == "2.21.0"
    assert told.failed == ()
