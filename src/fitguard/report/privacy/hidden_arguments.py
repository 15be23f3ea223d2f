"""Secrets on the command line of a run: `--password hunter2` is two words there."""

from typing import TypeVar, cast

import msgspec

from fitguard.knowledge.secrets import secret_name
from fitguard.schema.run import Run
from fitguard.schema.run_list import RunList

T = TypeVar("T")


def without_secret_arguments(document: T) -> T:
    """The same document; in those that tell of commands, without what follows `--token`."""
    if isinstance(document, RunList):
        lines = tuple(
            msgspec.structs.replace(line, command=_hidden(line.command)) for line in document.runs
        )
        return cast(T, msgspec.structs.replace(document, runs=lines))
    if isinstance(document, Run):
        return cast(T, msgspec.structs.replace(document, command=_hidden(document.command)))
    return document


def _hidden(command: tuple[str, ...]) -> tuple[str, ...]:
    shown, follows = [], False
    for word in command:
        option = word.startswith("-")
        shown.append("<secret>" if follows and not option else word)
        follows = option and "=" not in word and secret_name(word)
    return tuple(shown)
