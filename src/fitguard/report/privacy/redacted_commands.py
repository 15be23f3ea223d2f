"""Commands without private names that a shell still reads as they are meant.

In a sentence, `~/my env` and `<user>` are clear. In a command, a quoted tilde names no folder, and
`<user>` redirects: here the home folder is a variable, and other names are plain words.
"""

import re
from collections.abc import Iterator

from fitguard.report.privacy.private_names import (
    POSIX_HOME,
    WINDOWS_HOME,
    home_pattern,
    is_windows,
    names_pattern,
)

PLACEHOLDERS = {"user": "USERNAME", "host": "HOSTNAME"}
_HIDDEN = re.compile(r"<(secret|serial|uuid-\d+)>")
_PATH = re.compile(r"""(?<![\w.~/\\])(?P<root>[A-Za-z]:[\\/]|/(?!/))[^\s:;=,'"<>|()&$`*?{}]*""")
_DOUBLE_QUOTE_MEANING = re.compile(r'[\\"$`]')


class CommandRedaction:
    """Hides the names of one machine in commands."""

    def __init__(self, *, home: str, user: str, host: str) -> None:
        self._home = home_pattern(home)
        self._names = names_pattern(user, host)
        self._windows = is_windows(home)

    def hide(self, command: str) -> str:
        """The command, after secrets and UUIDs were hidden as in a sentence."""
        command = _HIDDEN.sub(lambda found: found[1].upper().replace("-", "_"), command)
        return "".join(
            self._redact_quoted(piece) if piece.startswith("'") else self._plain(piece)
            for piece in _pieces(command)
        )

    def _plain(self, piece: str) -> str:
        variable = "%USERPROFILE%" if self._windows else "$HOME"
        return variable.join(map(self._replace_names, self._around_home(piece)))

    def _redact_quoted(self, piece: str) -> str:
        """Single quotes keep a variable from its value: double ones take their place."""
        parts = [self._replace_names(part) for part in self._around_home(piece[1:-1])]
        if len(parts) == 1:
            return f"'{parts[0]}'"
        if self._windows:
            return f'"{"%USERPROFILE%".join(parts)}"'
        literal = [_DOUBLE_QUOTE_MEANING.sub(r"\\\g<0>", part) for part in parts]
        return f'"{"$HOME".join(literal)}"'

    def _around_home(self, text: str) -> list[str]:
        return self._home.split(text) if self._home else [text]

    def _replace_names(self, text: str) -> str:
        """Paths of other people and with private names as `/path/to/…`, names as plain words."""
        text = WINDOWS_HOME.sub(r"C:\\path\\to", text)
        if self._names:
            text = _PATH.sub(self._shorten_path, text)
            text = self._names.sub(lambda found: PLACEHOLDERS[found.lastgroup or "user"], text)
        return POSIX_HOME.sub(_other_home, text)

    def _shorten_path(self, found: re.Match[str]) -> str:
        """`/scratch/ann/venv/bin/python` → /path/to/venv/bin/python."""
        slash = found["root"][-1]
        folders = found[0].removeprefix(found["root"]).split(slash)
        private = [
            number
            for number, folder in enumerate(folders)
            if self._names and self._names.search(f"{slash}{folder}")
        ]
        if not private:
            return found[0]
        # Where the last word itself is private, it is kept for the name in it to be replaced.
        kept = folders[private[-1] + 1 :] or folders[-1:]
        return f"{found['root']}{slash.join(['path', 'to', *kept])}"


def _other_home(found: re.Match[str]) -> str:
    if found["before"]:
        return f"{found['before']}{found['folder']}{PLACEHOLDERS['user']}"
    return "/path/to"


def _pieces(command: str) -> Iterator[str]:
    """The command in pieces; those that begin with `'` are what the shell sees as single-quoted.

    An apostrophe in double quotes quotes nothing, but `"$('…')"` begins anew.
    """
    begin, place = 0, 0
    closing: list[str] = []
    while place < len(command):
        char = command[place]
        in_double = closing[-1:] == ['"']
        if char == "'" and not in_double:
            yield command[begin:place]
            begin, place = place, command.find("'", place + 1) + 1
            if not place:  # it is never closed: a shell would wait for more
                break
            yield command[begin:place]
            begin = place
            continue
        if char == "\\":
            place += 1
        elif command.startswith("$(", place):
            closing.append(")")
            place += 1
        elif closing and char == closing[-1]:
            closing.pop()
        elif char == '"' or (char == "(" and not in_double):
            closing.append('"' if char == '"' else ")")
        place += 1
    yield command[begin:]
