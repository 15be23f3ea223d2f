"""Options of `fitguard run` that are not on the command line: environment, then pyproject.toml."""

import os
from pathlib import Path

from cyclopts import App, Argument, ArgumentCollection

from fitguard.cli.run import say
from fitguard.schema.exit_codes import UnreadableInput, UsageError

_PREFIX = "FITGUARD_"
_OF_RUN = f"{_PREFIX}RUN_"
_OF_THE_USER = frozenset(("after-snapshot", "notify", "python", "trust-folder"))
"""What decides on the programs that run: not for others to set."""
_SECRET = "notify"
"""Who knows the address of a webhook can write there."""
_ROOT = 0


def apply_settings(app: App, commands: tuple[str, ...], arguments: ArgumentCollection) -> None:
    """Add what the command line left open; with `--verbose`, tell where each value comes from.

    Raises:
        UsageError: for a variable that belongs to no option.
        UnreadableInput: for a section that cannot be used.
    """
    from cyclopts.config import Dict, Env

    from fitguard.cli.configuration import find_project_file, read_project_file

    options = {
        argument.name.removeprefix("--"): argument
        for argument in arguments
        if argument.name.startswith("--")
    }
    _require_known_variables(options)
    Env(_PREFIX)(app, commands, arguments)
    file = find_project_file()
    if file is not None and (section := read_project_file(file).run):
        _require_usable(section, options, file)
        Dict(section, source=str(file), use_commands_as_keys=False)(app, commands, arguments)
    if options["verbose"].tokens and options["verbose"].convert():
        for name, argument in options.items():
            say(_describe_origin(name, argument))


def _require_known_variables(options: dict[str, Argument]) -> None:
    for variable in sorted(os.environ):
        name = variable.removeprefix(_OF_RUN).lower().replace("_", "-")
        if variable.startswith(_OF_RUN) and name not in options:
            raise UsageError(
                f"Received the variable {variable}, which belongs to no option of fitguard run. "
                f"Expected {_OF_RUN} and an option: {_OF_RUN}SNAPSHOT_SECONDS"
            )


def _require_usable(section: dict[str, object], options: dict[str, Argument], file: Path) -> None:
    where = f"{file}, [tool.fitguard.run]"
    for name in section:
        if name not in options:
            raise UnreadableInput(
                f"{where}: Received {name}. Expected options of fitguard run: {', '.join(options)}"
            )
    foreign = file.stat().st_uid not in (_ROOT, os.geteuid())
    if foreign and (found := _OF_THE_USER & section.keys()):
        raise UnreadableInput(
            f"{where}: {', '.join(sorted(found))} decides which program runs, and the file belongs "
            "to another user. Expected a file of your own, or the option on the command line"
        )


def _describe_origin(name: str, argument: Argument) -> str:
    if not argument.tokens:
        return f"--{name} is left at its default"
    first = argument.tokens[0]
    values = (str(token.value or token.implicit_value) for token in argument.tokens)
    value = "set" if name == _SECRET else " ".join(values)
    origin = {"cli": "the command line", "env": first.keyword}.get(first.source, first.source)
    return f"--{name} is {value}, from {origin}"
