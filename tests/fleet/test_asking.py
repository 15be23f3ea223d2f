"""The child on a node: its answer, its time limit, its failure."""

import json

from fitguard.fleet.asking import ask_here


def test_the_answer_of_a_command():
    told = ask_here(("doctor", "--what-if", "tf=2.21", "--format", "json"), 120)
    assert told["problem"] == ""
    assert json.loads(told["text"])["schema"] == "fitguard/doctor/1"
    assert told["fitguard"]


def test_a_command_that_fails():
    told = ask_here(("doctor", "--python", "/nowhere/python", "--format", "json"), 120)
    assert told["text"] == ""
    assert told["problem"].startswith("fitguard failed with exit code 2: ")
    assert "/nowhere/python" in told["problem"]


def test_a_command_that_takes_too_long():
    told = ask_here(("facts",), 0.01)
    assert (told["text"], told["problem"]) == ("", "no answer after 0.01 s")
