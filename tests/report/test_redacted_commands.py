"""Commands without private names: a real shell still reads them as they were meant."""

import shlex
import subprocess

import pytest
from growth import is_linear
from hypothesis import example, given, settings
from hypothesis import strategies as st
from report.samples import UUID

from fitguard.report.privacy.redaction import redact
from fitguard.schema.finding import Fix
from fitguard.schema.resolution import Install

HOME = "/home/ann"
WINDOWS_HOME = r"C:\Users\Ann Lee"


def hidden(command: str, home: str = HOME, user: str = "ann") -> str:
    return redact(Fix("", (command,)), home=home, user=user, host="dgx07.lab.org").commands[0]


def in_shell(command: str, home: str = HOME) -> str:
    """What a POSIX shell makes of a command, on the machine that it was written for."""
    done = subprocess.run(
        ["sh", "-c", command],
        capture_output=True, text=True, check=True, env={"HOME": home, "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    return done.stdout


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("/home/ann/v/bin/python -m pip", "$HOME/v/bin/python -m pip"),
        ("'/home/ann/my env/bin/python' -m pip", '"$HOME/my env/bin/python" -m pip'),
        ('"/home/ann/my env/bin/python" -V', '"$HOME/my env/bin/python" -V'),
        ("export P=/usr/lib:/home/ann/lib", "export P=/usr/lib:$HOME/lib"),
        ("""F="$('/home/ann/a b' -c 'x y') $F" """, """F="$("$HOME/a b" -c 'x y') $F" """),
        (""""it's" '/home/ann/x'""", """"it's" "$HOME/x\""""),
        ("unset TF_X", "unset TF_X"),
    ],
)
def test_the_home_folder_is_a_variable_that_the_shell_expands(command: str, expected: str) -> None:
    assert hidden(command) == expected


@pytest.mark.parametrize(
    "command",
    [
        "echo /home/ann/v/bin/python",
        "echo '/home/ann/my env/bin/python'",
        "echo '/home/ann/a$b`c\"d\\e'",
        "echo '/home/ann/it'\"'\"'s here'",
        "echo \"/home/ann/my env\" 'x  y'",
        "echo \"$(printf %s '/home/ann/my env') end\"",
        "echo \"($(printf %s '/home/ann/a (b)'))\"",
        "P=/usr/lib:/home/ann/lib${P:+:$P}; echo $P",
        'echo "x>=3,<4" "a[b]==1"',
    ],
)
def test_the_shell_does_the_same_as_before(command: str) -> None:
    assert HOME not in hidden(command)
    assert in_shell(hidden(command)) == in_shell(command)


@given(st.text(st.sampled_from("ab c'\"$`\\()/;:&<>|*?#!~"), max_size=20))
@example("'")
@settings(max_examples=60, deadline=None)
def test_any_path_below_home_stays_the_same_path(name: str) -> None:
    path = f"/home/ann/{name}"
    command = f"printf %s {shlex.quote(path)}"
    assert HOME not in hidden(command)
    assert in_shell(hidden(command)) == path


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("/scratch/ann/venv/bin/python -V", "/path/to/venv/bin/python -V"),
        ("'/scratch/ann/my venv/bin/python' -V", "'/path/to/my venv/bin/python' -V"),
        ("export P=/a:/scratch/ann/lib:/b", "export P=/a:/path/to/lib:/b"),
        ("cat /data/ann.log", "cat /path/to/USERNAME.log"),
        ("/home/bob/v/bin/python -V", "/path/to/v/bin/python -V"),
        ("/mnt/home/ann/v/bin/python -V", "/path/to/v/bin/python -V"),
        ("/mnt/home/bob/v/bin/python -V", "/mnt/home/USERNAME/v/bin/python -V"),
        ("ssh ann@DGX07", "ssh USERNAME@HOSTNAME"),
        ("get https://me:pw@dgx07.lab.org/x", "get https://SECRET@HOSTNAME/x"),
        (f"export CUDA_VISIBLE_DEVICES={UUID}", "export CUDA_VISIBLE_DEVICES=GPU-UUID_1"),
        ("export HF_TOKEN='a b'", "export HF_TOKEN=SECRET"),
    ],
)
def test_other_names_are_words_without_a_meaning_for_the_shell(command: str, expected: str) -> None:
    shown = hidden(command)
    assert shown == expected
    assert in_shell(f"echo {shown}") == " ".join(shlex.split(expected)) + "\n"
    assert hidden(shown) == shown


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (r'"C:\Users\Ann Lee\v\python.exe" -V', r'"%USERPROFILE%\v\python.exe" -V'),
        (r"'c:\users\ann lee\v\python.exe' -V", r'"%USERPROFILE%\v\python.exe" -V'),
        (r'"C:\Users\Bob Miller\v\python.exe" -V', r'"C:\path\to\v\python.exe" -V'),
        (r"D:\data\ANN\v\python.exe -V", r"D:\path\to\v\python.exe -V"),
    ],
)
def test_windows(command: str, expected: str) -> None:
    assert hidden(command, WINDOWS_HOME) == expected


def test_the_commands_of_an_installation_too() -> None:
    install = Install("pip", ("'/home/ann/my env/bin/python' -m pip",), "in /home/ann/my env")
    shown = redact(install, home=HOME, user="ann", host="h")
    assert shown.commands == ('"$HOME/my env/bin/python" -m pip',)
    assert shown.note == "in ~/my env"


@pytest.mark.parametrize("command", ["echo 'open /home/ann", 'echo "open', "$(((", ")))'", ""])
def test_a_broken_command_hides_what_it_can(command: str) -> None:
    assert "ann" not in hidden(command)


def test_long_garbage_takes_little_time() -> None:
    for piece in ("/ann/", "'", '"$(', "a", "/home/", "C:\\Users\\", "'/home/ann/ '"):
        assert is_linear(lambda count, piece=piece: hidden(piece * count), 10_000)
