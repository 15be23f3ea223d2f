"""The Python that trains."""

import sys

import pytest

from fitguard.schema.exit_codes import UsageError
from fitguard.supervise import interpreters
from fitguard.supervise.interpreters import (
    find_python,
    require_fitguard,
    require_tensorflow_here,
)


def test_this_one_has_all():
    require_fitguard(sys.executable)
    require_tensorflow_here("check", {})


def test_no_program():
    with pytest.raises(UsageError, match=r"python9, which is no program here\. Expected"):
        find_python("python9")


@pytest.mark.parametrize(
    ("says", "told"),
    [
        (
            "Python 3.9.2",
            r"which is Python 3\.9\.2\. fitguard needs .* doctor --python",
        ),
        (
            "ModuleNotFoundError: x",
            r"cannot import .*: \S+ -m pip install fitguard",
        ),
    ],
)
def test_one_that_cannot_take_part(tmp_path, says, told):
    other = tmp_path / "python3"
    other.write_text(f"#!/bin/sh\necho {says} >&2\nexit 1\n")
    other.chmod(0o755)
    with pytest.raises(UsageError, match=told):
        require_fitguard(str(other))


def test_fitguard_apart_from_tensorflow(tmp_path, monkeypatch):
    monkeypatch.setattr(interpreters.importlib.util, "find_spec", lambda _: None)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python").touch()
    with pytest.raises(UsageError, match=rf"fitguard plan --python {tmp_path}/bin/python"):
        require_tensorflow_here("plan", {"VIRTUAL_ENV": str(tmp_path)})
