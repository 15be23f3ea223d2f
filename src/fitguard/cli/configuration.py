"""`[tool.fitguard]` in pyproject.toml: defaults for select, ignore and fail-on."""

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from fitguard.cli.judging import Threshold
from fitguard.schema.exit_codes import UnreadableInput

if TYPE_CHECKING:
    from fitguard.checks.framework.registry import Subject


class Configuration(
    msgspec.Struct, frozen=True, kw_only=True, rename="kebab", forbid_unknown_fields=True
):
    """What the project sets; the command line adds to select and ignore, and overrides fail-on."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    fail_on: Threshold = "error"

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
    """The nearest pyproject.toml at or above the current folder; empty where there is none.

    Raises:
        UnreadableInput: if its `[tool.fitguard]` cannot be understood.
    """
    try:
        start = Path.cwd()
    except FileNotFoundError:  # the folder was deleted under us
        return Configuration()
    for folder in (start, *start.parents):
        file = folder / "pyproject.toml"
        if file.is_file():
            return _read(file)
    return Configuration()


def _read(file: Path) -> Configuration:
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return Configuration()
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
