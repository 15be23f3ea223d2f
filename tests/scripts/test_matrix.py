"""What `make matrix` makes of pip's words, of pytest's report, and of the page that is there."""

import importlib
import sys
from pathlib import Path

import pytest

MATRIX = Path(__file__).parent.parent.parent / "scripts/matrix"

CONFLICT = """\
INFO: pip is looking at multiple versions of keras to determine which version is compatible
ERROR: Cannot install keras==3.0.5 and tensorflow-cpu==2.15.1 because these package versions have \
conflicting dependencies.

The conflict is caused by:
    The user requested keras==3.0.5
    tensorflow-cpu 2.15.1 depends on keras<2.16 and >=2.15.0

To fix this you could try to:
"""
NO_WHEEL = """\
ERROR: Could not find a version that satisfies the requirement tensorflow-cpu==2.15.1 (from \
versions: 2.20.0, 2.21.0)
ERROR: No matching distribution found for tensorflow-cpu==2.15.1
"""
REPORT = """<testsuites><testsuite>
<testcase classname="tests.versions.test_no_fault" name="test_bits[keras]"/>
<testcase classname="tests.versions.test_killed" name="test_bits[keras]">
  <failure message="AssertionError: it began again&#10;assert 0 &gt; 0">…</failure></testcase>
<testcase classname="" name="tests.versions.test_plan">
  <error message="collection failure">ImportError: no such name</error></testcase>
</testsuite></testsuites>"""
PAGE = """# Versions

Words before.

<!-- matrix -->
<!-- end of matrix -->

Words after.
"""


@pytest.fixture
def matrix(monkeypatch):
    """The modules of the script, as it imports them itself."""
    monkeypatch.syspath_prepend(MATRIX)
    names = ("pairs", "interpreters", "building", "suite", "page")
    yield {name: importlib.import_module(name) for name in names}
    for name in names:
        sys.modules.pop(name)


def test_the_reason_of_pip(matrix):
    read_reason = matrix["building"].read_reason
    assert read_reason(CONFLICT) == "tensorflow-cpu 2.15.1 depends on keras<2.16 and >=2.15.0"
    assert read_reason(NO_WHEEL).startswith("Could not find a version that satisfies")
    assert read_reason("") == "pip said nothing"


def test_a_part_is_red_with_the_first_line_of_its_failure(matrix):
    failures = matrix["suite"].read_report(REPORT)
    assert failures["no fault"] == ""
    assert failures["killed"] == "it began again"
    assert failures["plan"] == "collection failure"
    assert failures["fit"] == "nothing was run"


def test_every_part_is_a_file_of_the_suite(matrix):
    files = {path.stem for path in (MATRIX.parent.parent / "tests/versions").glob("test_*.py")}
    assert set(matrix["suite"].PARTS.values()) == files


def test_a_row_is_replaced_and_others_are_kept(matrix, tmp_path):
    page, pairs = matrix["page"], matrix["pairs"].read_pairs()
    green = dict.fromkeys(matrix["suite"].PARTS, "")
    file = tmp_path / "versions.md"
    file.write_text(PAGE)
    assert not page.has_row(pairs[1], "keras", file)
    page.write_row(page.Row(pairs[1], "keras", failures={**green, "plan": "a|b <c>"}), pairs, file)
    page.write_row(page.Row(pairs[0], "keras", "no such wheel"), pairs, file)
    rows = [line for line in file.read_text().splitlines() if line.startswith("| 3.")]
    assert [row.split(" | ")[1] for row in rows] == [pairs[0].tensorflow, pairs[1].tensorflow]
    assert "**red**: no such wheel | not run" in rows[0]
    assert r"**red**: a\|b \<c>" in rows[1]
    page.write_row(page.Row(pairs[1], "keras", failures=green), pairs, file)
    text = file.read_text()
    assert page.has_row(pairs[1], "keras", file)
    assert rows[0] in text
    assert rows[1] not in text
    assert "Words before." in text
    assert text.endswith("Words after.\n")


def test_pairs_by_a_part_of_their_name(matrix):
    read_pairs = matrix["pairs"].read_pairs
    assert {pair.tensorflow for pair in read_pairs("tf2.15 tf2.13")} == {"2.13.1", "2.15.1"}
    assert len({pair.name for pair in read_pairs()}) == len(read_pairs())
    with pytest.raises(SystemExit, match=r"Expected a part of one of these names: py3\.11-tf2"):
        read_pairs("tf1.0")


def test_an_interpreter_is_found_by_its_minor_version(matrix):
    own = f"{sys.version_info.major}.{sys.version_info.minor}"
    assert matrix["interpreters"].find_python(own) is not None
    assert matrix["interpreters"].find_python("3.99") is None
