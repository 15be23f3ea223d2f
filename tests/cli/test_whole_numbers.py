"""Options that are whole numbers: what is none is refused, and never rounded."""

import pytest

from fitguard.cli.main import run
from fitguard.schema.exit_codes import ExitCode

OPTIONS = [
    ("plan", "--batch-size"),
    ("plan", "--replicas"),
    ("check", "--batch-size"),
    ("run", "--micro-batch"),
    ("run", "--max-attempts"),
    ("runs prune", "--keep"),
    ("watch", "--port"),
]


@pytest.mark.parametrize(("command", "option"), OPTIONS)
@pytest.mark.parametrize("given", ["1.5", "abc", "1e9", "nan", "٣.٥"])
def test_what_is_no_whole_number_is_told(command, option, given, capsys):
    code = run([*command.split(), option, given, "train.py"])
    assert code == ExitCode.WRONG_USAGE
    said = capsys.readouterr().err
    assert f"Received {option} {given}. Expected a whole number" in said


@pytest.mark.parametrize("given", ["0", "-3"])
def test_a_batch_has_one_sample_or_more(given, capsys):
    assert run(["check", "--batch-size", given, "train.py"]) == ExitCode.WRONG_USAGE
    assert f"Received --batch-size {given}. Expected 1 or more" in capsys.readouterr().err


def test_a_call_of_fit_is_a_number_or_all(capsys):
    assert run(["plan", "--fit", "1.5", "train.py"]) == ExitCode.WRONG_USAGE
    assert "Received --fit 1.5. Expected a whole number, or all" in capsys.readouterr().err
