"""Lines of native code that the user has no use for."""

import os

import pytest

from fitguard.memory.graph.rewriting import dropping_log


def test_what_native_code_writes_inside_is_dropped(capfd: pytest.CaptureFixture[str]) -> None:
    os.write(2, b"before\n")
    with dropping_log():
        os.write(2, b"inside\n")
    os.write(2, b"after\n")
    assert capfd.readouterr().err == "before\nafter\n"


def test_the_log_is_back_after_an_error(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match="inside"), dropping_log():
        raise ValueError("inside")
    os.write(2, b"after\n")
    assert capfd.readouterr().err == "after\n"
