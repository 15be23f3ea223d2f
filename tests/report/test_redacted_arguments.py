"""Secrets among the arguments of a command, by what stands before them and by how they look."""

import msgspec
import pytest
from report.made_runs import STOPPED

from fitguard.report.privacy.redacted_arguments import find_secrets, hide_arguments, hide_in_line
from fitguard.report.privacy.redaction import redact

RANDOM = "9f86d081884c7d659a2feaa0"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("train.py -p hunter2 -e 30", "train.py -p <secret> -e 30"),
        ("train.py -p 1234", "train.py -p <secret>"),
        ("train.py -phunter2 -P=x", "train.py -p<secret> -P=<secret>"),
        ("train.py -u ann:pw -b 64 -l 1e-3", "train.py -u <secret> -b 64 -l 1e-3"),
        ("train.py -c conf/a.yaml -o ./out", "train.py -c conf/a.yaml -o ./out"),
        ("train.py -x=abc -j8 -lr 0.1", "train.py -x=<secret> -j8 -lr 0.1"),
        ("train.py --password x --epochs 3", "train.py --password <secret> --epochs 3"),
        ("train.py --pass x --verbose", "train.py --pass <secret> --verbose"),
        ("python -u -W ignore -m package.train -v", "python -u -W ignore -m package.train -v"),
        (f"train.py {RANDOM} --run={RANDOM}", "train.py <secret> --run=<secret>"),
        (
            "train.py resnet50-imagenet-2024-long mnist",
            "train.py resnet50-imagenet-2024-long mnist",
        ),
        ("train.py -- -p", "train.py -- -p"),
        ("", ""),
    ],
)
def test_words(words, expected):
    assert list(hide_arguments(words.split())) == expected.split()


def test_a_line_that_ends_with_the_words_of_the_user():
    line = f"fitguard run --micro-batch 16 -m pkg.train -p hunter2 -k 'a b' -e 3 {RANDOM}"
    shown = "fitguard run --micro-batch 16 -m pkg.train -p <secret> -k <secret> -e 3 <secret>"
    assert hide_in_line(line) == shown
    assert hide_in_line("fitguard run train.py -psecret") == "fitguard run train.py -p<secret>"


def test_a_secret_of_the_command_is_hidden_wherever_it_stands():
    words = ("train.py", "--password", "hunter2", "-p", "swordfish", "--token=tulip", "-p", "80")
    assert find_secrets(words) == {"hunter2", "swordfish", "tulip"}
    run = msgspec.structs.replace(STOPPED, command=words, folder="hunter2/hunter22")
    shown = redact(run, home="", user="", host="")
    assert shown.folder == "<secret>/hunter22"
    assert not {"hunter2", "swordfish", "tulip", "80"} & set(shown.command)
