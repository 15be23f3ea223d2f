"""The user's command, out of the lines of a log."""

import pytest

from fitguard.crash.command import find_command, read_command
from fitguard.schema.crash import Line


def found(text: str) -> tuple[str, ...] | None:
    command = find_command([Line(1, text, "log")], None)
    return command.words if command else None


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("bob@titan:~/x$ python train.py --epochs 3", ("python", "train.py", "--epochs", "3")),
        ("+ python3.11 -u src/train.py", ("python3.11", "-u", "src/train.py")),
        ("python train.py --batch-size 64 2>&1 | tee log",
         ("python", "train.py", "--batch-size", "64")),
        ("$ CUDA_VISIBLE_DEVICES=0 python train.py", ("python", "train.py")),
        ("(env) $ nohup python train.py --name 'a b' &", ("python", "train.py", "--name", "a b")),
        ("$ python train.py --data $HOME/data", ("python", "train.py")),
        ("$ python train.py; rm -rf ~", ("python", "train.py")),
        ("$ python train.py `id`", ("python", "train.py")),
        ("$ python train.py --name 'open", None),
        ("python train.py fails with an error", None),
        ("I run python train.py and it dies", None),
        ("Epoch 1/3", None),
    ],
)  # fmt: skip
def test_only_what_a_shell_was_given(line: str, words: tuple[str, ...] | None) -> None:
    assert found(line) == words


@pytest.mark.parametrize(
    ("words", "script", "arguments"),
    [
        (["train.py", "--epochs", "3"], "train.py", ("--epochs", "3")),
        (["python", "-u", "train.py", "x"], "train.py", ("x",)),
        (["python", "-m", "package.train"], None, ()),
        (["-m", "package.train"], None, ()),
    ],
)
def test_the_script_and_its_arguments(
    words: list[str], script: str | None, arguments: tuple[str, ...]
) -> None:
    command = read_command(words)
    assert (command.script, command.arguments) == (script, arguments)
