"""What holds for the commands of all checks, whatever the facts are."""

import re
from typing import Any

import msgspec
import pytest
from checks.every_check import MACHINES, findings

from fitguard.checks.fixes import remedies
from fitguard.checks.framework.registry import all_checks
from fitguard.schema.facts import Facts
from fitguard.schema.software import Platform, Python

# What each shell would act upon, and the quotes that keep it from that.
HOSTILE = {
    "linux": ("$(id)`id`; rm x && id | id", "' ; id '", '" ; id "', "\nid\n"),
    "windows": ("$(id)", "`id`", "%PATH%", "; rm x && id | id", '" & id "', "\nid\n"),
}
QUOTED = {"linux": r"'[^']*'", "windows": r'"[^"%$`\n]*"'}
POSIX_WORDS = (
    "export", "unset", "ps", "df", "du", "sudo", "apt-get", "ls", "cat", "grep", "head", "lspci",
    "ldconfig", "modprobe", "dmesg", "id",
)  # fmt: skip


def test_every_check_finds_something_in_these_machines():
    found = {finding.code for facts in MACHINES for finding in findings(facts)}
    assert found == set(all_checks("environment"))


def poisoned(value: Any, key: str, payload: str) -> Any:
    """The facts with a payload in all that bears a name: `version`, `path`, `executable` …"""
    if isinstance(value, dict):
        return {
            name: item + payload
            if name == key and isinstance(item, str)
            else [entry + payload for entry in item]
            if name == key and isinstance(item, list) and all(isinstance(e, str) for e in item)
            else poisoned(item, key, payload)
            for name, item in value.items()
        }
    return [poisoned(item, key, payload) for item in value] if isinstance(value, list) else value


def keys(value: Any) -> set[str]:
    if isinstance(value, dict):
        return {*value, *(key for item in value.values() for key in keys(item))}
    return {key for item in value for key in keys(item)} if isinstance(value, list) else set()


@pytest.mark.parametrize(
    ("system", "payload"),
    [(system, payload) for system, payloads in HOSTILE.items() for payload in payloads],
)
def test_no_command_holds_a_hostile_fact_outside_of_quotes(system, payload):
    for facts in MACHINES:
        plain = msgspec.to_builtins(facts)
        plain["platform"] = {**(plain["platform"] or {}), "system": system}
        for key in sorted(keys(plain) - {"schema"}):
            hostile = poisoned(plain, key, payload)
            if hostile == plain:
                continue
            hostile["platform"]["system"] = system
            for finding in findings(msgspec.convert(hostile, Facts)):
                for command in finding.fix.commands:
                    bare = re.sub(QUOTED[system], "", command)
                    assert payload not in bare, (finding.code, key)


@pytest.mark.parametrize("facts", MACHINES)
def test_windows_gets_commands_of_windows(facts):
    windows = msgspec.structs.replace(facts, platform=Platform(system="windows"))
    for finding in findings(windows):
        for command in finding.fix.commands:
            assert not set(re.split(r"[\s|;&]+", command)) & set(POSIX_WORDS), finding.code
            assert "'" not in command, finding.code
            assert "setx" not in command


@pytest.mark.parametrize(
    ("requirement", "expected"),
    [
        ("keras", "python -m pip install keras"),
        ("keras==2.2.4", 'python -m pip install "keras==2.2.4"'),
        ("numpy>=1.26, <2", 'python -m pip install "numpy>=1.26, <2"'),
        ("tf-nightly[and-cuda]==2.22.0.dev20261101", None),
        ("tensorflow==2.15.1+nv24.03", None),
    ],
)
def test_requirements(requirement, expected):
    found = remedies.pip_install(Facts(), requirement)
    assert found == (expected or f'python -m pip install "{requirement}"',)


@pytest.mark.parametrize(
    "requirement",
    ["", "-r", "--target=/x", "keras==", "keras==1 2", "keras @ http://x", "keras;x",
     "keras==$(id)", 'keras"', "ke\nras", "keras==1\n", "../keras", "kéras"],
)  # fmt: skip
def test_what_is_no_requirement_gives_no_command(requirement):
    assert remedies.pip_install(Facts(), "numpy<2", requirement) == ()


@pytest.mark.parametrize(("branch", "count"), [("470", 2), ("$(id)", 0), ("470;id", 0)])
def test_a_branch_that_is_no_number_gives_no_command(branch, count):
    ubuntu = Facts(platform=Platform(system="linux", distribution="ubuntu 22.04"))
    assert len(remedies.driver(ubuntu, branch=branch).commands) == count


@pytest.mark.parametrize(
    ("executable", "system", "expected"),
    [
        ("~/my env/bin/python", "linux", "~'/my env/bin/python'"),
        ("/a/`id`/python", "linux", "'/a/`id`/python'"),
        (r"C:\Users\x\python.exe", "windows", r"C:\Users\x\python.exe"),
        (r"C:\Program Files\python.exe", "windows", r'"C:\Program Files\python.exe"'),
        (r"C:\%PATH%\python.exe", "windows", "python"),
        (None, "linux", "python"),
    ],
)
def test_the_interpreter_is_quoted_for_the_platform(executable, system, expected):
    python = Python(version="3.11", executable=executable)
    facts = Facts(python=python, platform=Platform(system=system))
    assert remedies.python_command(facts) == expected
