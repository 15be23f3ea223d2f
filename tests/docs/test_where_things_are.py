"""The page that lists tasks and the files that each of them touches: the files are there."""

import re
from pathlib import Path

import pytest

TREE = Path(__file__).parent.parent.parent
PAGE = (TREE / "docs/contributing/where-things-are.md").read_text()
NAMED = sorted(set(re.findall(r"`([\w.-]*/[\w./-]*|[\w-]+\.(?:yml|toml|md))`", PAGE)))


def test_the_page_names_files() -> None:
    assert len(NAMED) > 30


@pytest.mark.parametrize("path", [path for path in NAMED if "NAME" not in path])
def test_each_path_is_there(path: str) -> None:
    assert any((root / path).exists() for root in (TREE, TREE / "src/fitguard"))


def test_each_task_of_the_table_has_a_section() -> None:
    tasks = re.findall(r"^\| \[(.+?)\]\(#(.+?)\)", PAGE, re.MULTILINE)
    assert len(tasks) >= 10
    for title, anchor in tasks:
        assert f"\n## {title}\n" in PAGE
        assert anchor == title.lower().replace(" ", "-")
