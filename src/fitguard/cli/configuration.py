"""`[tool.fitguard]` in pyproject.toml: defaults for select, ignore, fail-on, and for `run`."""

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from fitguard.cli.judging import Threshold
from fitguard.schema.exit_codes import UnreadableInput

if TYPE_CHECKING:
    from fitguard.checks.framework.registry import Subject


class Configuration(
    msgspec.Struct, frozen=True, kw_only=True, rename="kebab", forbid_unknown_fields=True
):
    """What the project sets; the command line adds to select and ignore, and overrides the rest.

    Args:
        run: Options of `fitguard run` by name, as `snapshot-seconds`.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    fail_on: Threshold = "error"
    run: dict[str, Any] = {}

    def filter_selection(self, subject: "Subject") -> tuple[str, ...]:
        """The selection, as far as it is of checks that judge this subject.

        Raises:
            UsageError: where a name is no check's.
        """
        from fitguard.checks.framework.registry import matching

        return tuple(
            name
            for name in self.select
            if any(check.subject == subject for check in matching(name))
        )


def read_configuration() -> Configuration:
    """That of the nearest pyproject.toml; empty where there is none.

    Raises:
        UnreadableInput: if its `[tool.fitguard]` cannot be understood.
    """
    file = find_project_file()
    return Configuration() if file is None else read_project_file(file)


def find_project_file() -> Path | None:
    """The nearest pyproject.toml at or above the current folder; None where there is none."""
    try:
        start = Path.cwd()
    except FileNotFoundError:  # the folder was deleted under us
        return None
    files = (folder / "pyproject.toml" for folder in (start, *start.parents))
    return next((file for file in files if file.is_file()), None)


def read_project_file(file: Path) -> Configuration:
    """The `[tool.fitguard]` of a file.

    Raises:
        UnreadableInput: if it cannot be understood.
    """
    try:
        text = file.read_text(encoding="utf-8")
    except OSError:
        return Configuration()
    except UnicodeDecodeError as error:
        # Whether it has a section for us is not to be read, and options must not get lost.
        raise UnreadableInput(f"{file}: {error}. Expected UTF-8, as TOML is") from error
    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # a number of 5000 digits is no TOMLDecodeError
        if "tool.fitguard" in text:
            raise UnreadableInput(f"{file}: {error}") from error
        return Configuration()  # broken, but no concern of ours
    tools = document.get("tool", {})
    section = tools.get("fitguard", {}) if isinstance(tools, dict) else {}
    try:
        return msgspec.convert(section, Configuration)
    except msgspec.ValidationError as error:
        raise UnreadableInput(f"{file}, [tool.fitguard]: {error}") from error
