"""Runs the suite `tests/versions` in the environment of a pair, with that environment's pytest."""

import os
import re
import subprocess
import tempfile
from pathlib import Path
from xml.etree import ElementTree

from pairs import TREE, Pair, matrix_folder

PARTS = {
    "no fault": "test_no_fault",
    "killed": "test_killed",
    "out of memory": "test_memory",
    "plan": "test_plan",
    "data": "test_data",
    "fit": "test_fit",
    "callbacks": "test_callbacks",
}
"""The columns of the page, and the file that proves each."""

LONGEST_SECONDS = 3600
_LONGEST_REASON = 240


def run_suite(pair: Pair, package: str) -> dict[str, str]:
    """Each part of the suite, with why it failed; empty where it did not.

    Args:
        package: What the scripts import as Keras.
    """
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.xml")
        command = [pair.interpreter, "-m", "pytest", "tests/versions", "-q"]
        command += ["-p", "no:cacheprovider", f"--basetemp={folder}/tests", f"--junitxml={report}"]
        try:
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
                cwd=TREE,
                env=_environment(package),
                timeout=LONGEST_SECONDS,
            )
        except subprocess.TimeoutExpired:
            return dict.fromkeys(PARTS, f"the suite took more than {LONGEST_SECONDS} s")
        log = pair.folder.with_name(f"{pair.name}.{package}.txt")
        log.write_text(done.stdout, "utf-8")
        if not report.is_file():
            return dict.fromkeys(PARTS, _shortened(_last_line(done.stdout)))
        return read_report(report.read_text("utf-8"))


def read_report(xml: str) -> dict[str, str]:
    """The first line of the first failure in each file of the suite, from pytest's JUnit XML."""
    cases = list(ElementTree.fromstring(xml).iter("testcase"))
    return {
        part: _failure([case for case in cases if _is_of(case, file)])
        for part, file in PARTS.items()
    }


def _is_of(case: ElementTree.Element, file: str) -> bool:
    # A file that cannot be collected is a case by its name, of no class.
    return file in f"{case.get('classname')}.{case.get('name')}".split(".")


def _failure(cases: list[ElementTree.Element]) -> str:
    if not cases:
        return "nothing was run"
    for case in cases:
        for kind in ("failure", "error", "skipped"):
            found = case.find(kind)
            if found is not None:
                return _shortened(found.get("message") or _last_line(found.text or kind))
    return ""


def _shortened(message: str) -> str:
    first = next(iter(message.strip().splitlines()), "").replace(f"{matrix_folder()}/", "")
    first = re.sub(r'^(failed on setup with ")?(AssertionError: )?(assert )?', "", first)
    return first if len(first) <= _LONGEST_REASON else f"{first[:_LONGEST_REASON]} …"


def _last_line(text: str) -> str:
    return next((line for line in reversed(text.splitlines()) if line.strip()), "no word")


def _environment(package: str) -> dict[str, str]:
    """This tree's fitguard, whichever tree the environment was made from."""
    return {**os.environ, "PYTHONPATH": str(TREE / "src"), "FITGUARD_KERAS": package}
