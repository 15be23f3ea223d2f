"""The documentation shows what `make record` wrote down, of the examples as they are now."""

import importlib.util
import re
from pathlib import Path

import pytest

TREE = Path(__file__).parent.parent.parent
_spec = importlib.util.spec_from_file_location("record", TREE / "scripts/record.py")
record = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(record)
STORIES = {story["name"]: story for story in record.read_stories()}


@pytest.mark.parametrize("name", STORIES)
def test_a_story_was_recorded_as_it_is_now(name):
    folder = record.RECORDED / name
    digest = (folder / "digest").read_text().strip()
    assert digest == record.digest(STORIES[name]), f"run `make record ONLY={name}`"
    steps = {step["name"]: step for step in STORIES[name]["steps"]}
    assert {file.stem for file in folder.glob("*.txt")} == set(steps)
    for step in steps.values():
        assert (folder / f"{step['name']}.txt").read_text().startswith(f"$ {record.show(step)}\n")


def test_nothing_was_recorded_that_no_story_has():
    assert {folder.name for folder in record.RECORDED.iterdir()} == set(STORIES)


def test_the_readme_shows_what_was_recorded():
    text = record.README.read_text()
    blocks = record.BLOCK.findall(text)
    assert blocks
    for name, count, shown in blocks:
        assert shown == record.excerpt(name, count)


def test_no_recording_tells_of_the_machine_it_was_made_on():
    for file in record.RECORDED.glob("*/*.txt"):
        assert not re.search(r"/root|/home/|/work/|https?://", file.read_text()), file


def test_every_command_has_a_page_that_the_navigation_has():
    from fitguard.cli.main import app

    navigation = (TREE / "mkdocs.yml").read_text()
    start = (TREE / "docs/index.md").read_text()
    commands = {name for name in app if not name.startswith("-")}
    assert commands
    for name in commands:
        assert f"commands/{name}.md" in navigation
        assert f"(commands/{name}.md)" in start
        assert (TREE / f"docs/commands/{name}.md").is_file()


def test_every_format_has_a_row_in_the_docs():
    from fitguard.report.registry import ENTRIES
    from fitguard.report.render import FORMATS

    overview = (TREE / "docs/commands/index.md").read_text()
    rows = {name: re.search(rf"^\| `{name}` \|.*", overview, re.MULTILINE) for name in FORMATS}
    assert all(rows.values()), rows
    for entry in ENTRIES:
        command = entry.finds.removeprefix("fitguard ").partition(" ")[0]
        assert f"`{command}`" in rows["sarif"][0] or not command
