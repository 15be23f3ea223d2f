"""What is said about versions that fitguard was not proven with."""

import tomllib
from pathlib import Path

import pytest

from fitguard.knowledge.supported import judge_versions, table
from fitguard.schema.versions import newer, older, parse

TREE = Path(__file__).parent.parent.parent
PAIRS = TREE / "scripts/matrix/pairs.toml"
NEWEST = {row.package: row.newest for row in table().rows}
"""The last range of each package."""


@pytest.mark.parametrize(
    ("tensorflow", "package", "keras", "python"),
    [
        ("2.13.1", "keras", "2.13.1", "3.11.7"),
        ("2.15.0.post1", "keras", "2.15.0", "3.11.2"),
        ("2.21.0", "keras", f"{NEWEST['keras']}.1", "3.13.0"),
        ("2.21.0", "tf_keras", "2.21.0", "3.12"),
        ("", "keras", "", ""),
    ],
)
def test_proven_and_unknown_versions_are_not_warned_about(tensorflow, package, keras, python):
    assert judge_versions(tensorflow, package, keras, python) == ""


def test_a_newer_keras():
    assert judge_versions("2.21.0", "keras", "3.99.0", "3.13.0") == (
        f"Keras 3.99.0 is newer than {NEWEST['keras']}, the newest that fitguard was proven with; "
        "the hooks decide"
    )


@pytest.mark.parametrize(
    ("package", "version", "said"),
    [
        ("keras", "2.12.0", "Keras 2.12.0 is older than 2.13, the oldest"),
        ("keras", "2.16.0", "Keras 2.16.0 is newer than 2.15, the newest"),
        ("keras", "4.0.0", f"Keras 4.0.0 is newer than {NEWEST['keras']}, the newest"),
        ("tf_keras", "2.15.1", "tf_keras 2.15.1 is older than 2.16, the oldest"),
    ],
)
def test_the_nearest_range_is_named(package, version, said):
    assert judge_versions("2.21.0", package, version, "3.13").startswith(said)


def test_all_that_is_outside_is_in_one_sentence():
    said = judge_versions("2.99.0", "keras", NEWEST["keras"], "3.99.0")
    python, tensorflow = NEWEST["python"], NEWEST["tensorflow"]
    assert said == (
        f"Python 3.99.0 is newer than {python}, the newest that fitguard was proven with; "
        f"TensorFlow 2.99.0 is newer than {tensorflow}, the newest that fitguard was proven with; "
        "the hooks decide"
    )


def test_both_ends_of_each_range_are_in_the_matrix():
    pairs = tomllib.loads(PAIRS.read_text("utf-8"))["pairs"]
    for row in table().rows:
        proven = [parse(pair[row.package])[:2] for pair in pairs if row.package in pair]
        inside = [
            version
            for version in proven
            if not older(version, parse(row.oldest)) and not newer(version, parse(row.newest))
        ]
        assert (min(inside), max(inside)) == (parse(row.oldest), parse(row.newest)), row


def test_the_readme_names_the_ranges():
    text = (TREE / "README.md").read_text("utf-8")
    for row in table().rows:
        if row.package in ("tensorflow", "keras"):
            assert f"{row.oldest} to {row.newest}" in text


def test_the_docs_show_what_is_said_of_the_next_keras():
    major, minor = parse(NEWEST["keras"])
    said = judge_versions("", "keras", f"{major}.{minor + 1}.0", "")
    assert f"\n{said}\n" in (TREE / "docs/versions.md").read_text("utf-8")
