"""How the process ended."""

import pytest

from fitguard.crash.ending import ending, parse_signal, signal_of
from fitguard.schema.crash import Ending, Signal
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.finding import Evidence


def line(number: int, **values: str) -> Signal:
    return Signal("ending", "stop", f"line {number}", "run.log", number, number, values=values)


@pytest.mark.parametrize(
    ("code", "name"),
    [
        (137, "SIGKILL"),
        (-9, "SIGKILL"),
        (247, "SIGKILL"),
        (139, "SIGSEGV"),
        (-11, "SIGSEGV"),
        (134, "SIGABRT"),
        (250, "SIGABRT"),
        (132, "SIGILL"),
        (135, "SIGBUS"),
        (143, "SIGTERM"),
        (130, "SIGINT"),
        (3221225477, "SIGSEGV"),
        (-1073741819, "SIGSEGV"),
        (0xC0000409, "SIGABRT"),
        (0xC000001D, "SIGILL"),
    ],
)
def test_codes_that_tell_of_a_signal(code: int, name: str) -> None:
    assert signal_of(code) == name


@pytest.mark.parametrize("code", [0, 1, 2, 127, 128, 190, 254, 255, -99, 1234, 10**12, -(10**12)])
def test_codes_that_do_not(code: int) -> None:
    assert signal_of(code) is None


@pytest.mark.parametrize("text", ["SIGKILL", "sigkill", "KILL", " kill ", "9"])
def test_names_of_signals(text: str) -> None:
    assert parse_signal(text) == "SIGKILL"


@pytest.mark.parametrize("text", ["", "SIG", "FOO", "99", "-9", "9" * 5000, "SIGKILL now"])
def test_what_names_no_signal(text: str) -> None:
    with pytest.raises(UsageError, match=r"Received the signal .* Expected a name or number"):
        parse_signal(text)


def test_the_name_of_a_group_tells_the_signal() -> None:
    assert ending(None, None, [line(1, sigsegv="Segmentation fault")]).signal == "SIGSEGV"
    assert ending(None, None, [line(1, sigkill_task="Killed")]).signal == "SIGKILL"
    assert line(1, signal="SIGKILL").ended_by is None
    assert line(1, exit_code="1").ended_by is None


def test_what_the_user_gave_counts_before_the_log() -> None:
    told = ending(137, None, [line(3, exit_code="1")])
    assert (told.exit_code, told.signal) == (137, "SIGKILL")
    assert told.evidence == (Evidence("exit code 137 (SIGKILL)", "--exit-code"),)
    assert ending(1, "segv").signal == "SIGSEGV"
    assert ending(1, "segv").exit_code == 1


def test_the_last_line_that_tells_of_an_end_counts() -> None:
    told = ending(None, None, [line(1, signal="SIGTERM"), line(2, exit_code="137"), line(3, a="b")])
    assert told == Ending(137, "SIGKILL", (Evidence("line 2", "run.log", 2),))


@pytest.mark.parametrize(
    ("values", "code", "name"),
    [
        ({"exit_code": "0xC0000005"}, 0xC0000005, "SIGSEGV"),
        ({"signal": "11"}, None, "SIGSEGV"),
        ({"signal": "nonsense", "exit_code": "139"}, 139, "SIGSEGV"),
        ({"exit_code": "not a number"}, None, None),
        ({"exit_code": "9" * 5000}, None, None),
    ],
)
def test_values_of_lines(values: dict[str, str], code: int | None, name: str | None) -> None:
    told = ending(None, None, [line(1, **values)])
    assert (told.exit_code, told.signal) == (code, name)


def test_nothing_known() -> None:
    assert ending(None, None, [line(1, other="x")]) == Ending()
