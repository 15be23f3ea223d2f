"""FG501: versions that `fitguard run` was not tested with."""

import pytest

from fitguard.checks.framework.testing import run
from fitguard.environment.supposition import parse_arguments, suppose


def judged(*arguments: str):
    return run("FG501", suppose(parse_arguments(arguments))).findings


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (("tf=2.12.1", "keras=2.12.0"), "TensorFlow 2.12.1 is older than 2.13"),
        (("tf=2.21.0", "keras=3.99.0"), "Keras 3.99.0 is newer than 3."),
        (("tf=2.21.0", "python=3.99"), "Python 3.99 is newer than 3."),
    ],
)
def test_what_is_outside_of_the_table_is_told(arguments, part):
    (finding,) = judged(*arguments)
    assert finding.severity == "info"
    assert part in finding.title
    assert "the hooks decide" not in finding.title
    assert "--require-guard" in finding.fix.text


@pytest.mark.parametrize("keras", ["3.0.5", "3.15.1"])
def test_nothing_is_said_of_what_was_proven(keras):
    assert not judged("tf=2.21.0", f"keras={keras}", "python=3.12")
    assert not judged("tf=2.15.1", "keras=2.15.0", "python=3.11")
