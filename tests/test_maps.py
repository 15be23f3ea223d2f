"""The maps in `__init__.py` name files that are there, and those of large rooms all of them."""

import ast
import re
from pathlib import Path

import pytest

import fitguard

SRC = Path(fitguard.__file__).parent
WHOLE = ("crash", "keras/position", "memory/graph", "supervise")
ENTRY = re.compile(r"^ *((?:\w+\.py, )*\w+\.py)\b", re.MULTILINE)


def map_of(room: Path) -> str:
    return ast.get_docstring(ast.parse((room / "__init__.py").read_text())) or ""


def test_maps_name_files_that_are_there():
    rooms = [init.parent for init in SRC.rglob("__init__.py")]
    entries = [
        room / name
        for room in rooms
        for line in ENTRY.findall(map_of(room))
        for name in line.split(", ")
    ]
    assert len(entries) > 100
    assert [entry for entry in entries if not entry.exists()] == []


@pytest.mark.parametrize("room", WHOLE)
def test_the_map_of_a_large_room_names_every_file(room):
    files = {path.name for path in (SRC / room).glob("*.py")} - {"__init__.py"}
    assert files - set(re.findall(r"\w+\.py", map_of(SRC / room))) == set()
