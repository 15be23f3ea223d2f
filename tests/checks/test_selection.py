"""Which checks a name stands for, and what `judge_machine` makes of names."""

import pytest

from fitguard.checks.framework.registry import all_checks, matching
from fitguard.checks.framework.runner import judge_machine
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.facts import Facts


def judged(**names: object) -> set[str]:
    report = judge_machine(Facts(), **names)
    return {*(item.code for item in report.skipped), *report.passed}


def starting(*prefixes: str) -> set[str]:
    return {code for code in all_checks("environment") if code.startswith(prefixes)}


@pytest.mark.parametrize("name", ["FG204", "fg204", "cudnn-too-old", "CUDNN-too-old"])
def test_one_check(name):
    assert [check.code for check in matching(name)] == ["FG204"]


def test_a_prefix():
    assert {check.code for check in matching("fg2")} == starting("FG2")


@pytest.mark.parametrize("name", ["", " ", "FG9", "cudnn", "FG2,FG3"])
def test_a_name_that_no_check_bears(name):
    with pytest.raises(UsageError, match=r"Received .*Expected a code, a prefix or a slug"):
        matching(name)


@pytest.mark.parametrize("names", ["FG2, FG3", ("FG2", "FG3"), ["FG2,FG3"], iter(("FG2", "FG3"))])
def test_names_one_by_one_or_with_commas(names):
    assert judged(select=names) == starting("FG2", "FG3")


def test_ignored():
    assert judged(ignore="FG2,FG3") == set(all_checks("environment")) - starting("FG2", "FG3")


def test_nothing_selected_is_all():
    assert judged(select=()) == set(all_checks("environment"))


@pytest.mark.parametrize("names", ["", "FG7,", ("FG7", ""), ",", "FG2 FG3"])
@pytest.mark.parametrize("argument", ["select", "ignore"])
def test_an_empty_name_does_not_stand_for_all(argument, names):
    with pytest.raises(UsageError):
        judge_machine(Facts(), **{argument: names})
