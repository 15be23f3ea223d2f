"""Reports go to strangers, and quote strangers: private names go out, control characters too."""

import getpass
import os
import platform
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TypeVar

from fitguard.knowledge.secrets import hide_secrets, secret_name
from fitguard.report.privacy.private_names import (
    POSIX_HOME,
    WINDOWS_HOME,
    home_pattern,
    nameless_log,
    names_pattern,
)
from fitguard.report.privacy.redacted_arguments import (
    find_secrets,
    hide_arguments,
    hide_in_line,
)
from fitguard.report.privacy.redacted_commands import CommandRedaction
from fitguard.report.privacy.walking import map_fields, map_strings

T = TypeVar("T")

IDENTIFIERS = frozenset(
    {"schema", "code", "codes", "slug", "severity", "confidence", "passed", "primary", "cause"}
    | {"split", "role", "kind", "mode", "phase"}
    | {"state", "outcome", "action", "signal", "library"}
)
"""Fields that fitguard itself fills from a fixed set of words: nothing private is in them."""

LONGEST = 4000
"""Characters of one string that a person is shown; JSON has them all."""

_WORD = re.compile(r"[\w./-]*")
_GPU_UUID = re.compile(r"\b((?:MIG-)?GPU|MIG)-([0-9a-f]{8}(?:-[0-9a-f]{1,12}){0,4})\b", re.I)
_HOST_OF_CARD = re.compile(r"^[^/]+(?=/)")
_LEAST_SECRET = 8
"""Letters of a variable: a shorter one may be a word."""
UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
"""What a terminal obeys, or a reader cannot see; line feed and tab are fine."""


def redact(document: T, *, home: str, user: str, host: str, secrets: Collection[str] = ()) -> T:
    """The same document without home folders, names, GPU serials and UUIDs, tokens, passwords.

    Equal UUIDs stay equal, as `GPU-<uuid-1>`, so that `CUDA_VISIBLE_DEVICES` can still be matched.

    Args:
        document: A struct, or the dicts and lists that JSON is made of.
        secrets: That are known to be some, beside those that the document itself names.
    """
    hide_uuid, hide_host = _uuid_numbering(), _host_numbering()
    names = names_pattern(user, host)
    home_folder = home_pattern(home)
    commands = CommandRedaction(home=home, user=user, host=host)
    known = _match_secrets({*secrets, *_find_named_secrets(document)})

    def hide(text: str, field: str) -> str:
        if field in IDENTIFIERS and _WORD.fullmatch(text):  # the `code` of an advice is Python
            return text
        if text and secret_name(field):
            return "<secret>"
        text = hide_secrets(known.sub("<secret>", text) if known else text)
        text = _GPU_UUID.sub(hide_uuid, text)
        if field == "commands":  # what a reader copies into a shell
            return commands.hide(hide_in_line(text) if "fitguard " in text else text)
        if home_folder:
            text = home_folder.sub("~", text)
        if field == "card":  # of any host of a fleet
            text = _HOST_OF_CARD.sub(hide_host, text)
        text = WINDOWS_HOME.sub("~", text)
        text = POSIX_HOME.sub(_hide_posix_home, text)
        text = nameless_log(text)
        return names.sub(lambda found: f"<{found.lastgroup}>", text) if names else text

    return map_strings(map_fields(document, "command", hide_arguments), hide)


def redact_here(document: T, command: Sequence[str] = ()) -> T:
    """`redact` with the home folder, the user, the host and the variables of this process.

    Args:
        command: Of the training that the document is about, where it does not hold it.
    """
    try:
        user = getpass.getuser()
    except (KeyError, OSError, ImportError):  # a container's user often has no name
        user = ""
    home = os.path.expanduser("~")  # noqa: PTH111
    secrets = {*find_secrets(command), *_list_secret_variables()}
    return redact(document, home=home, user=user, host=platform.node(), secrets=secrets)


def _list_secret_variables() -> Iterator[str]:
    """What a log may have printed of this environment."""
    for name, value in os.environ.items():
        if secret_name(name) and len(value) >= _LEAST_SECRET and "/" not in value:
            yield value


def clean(text: str) -> str:
    r"""Control characters, unseen ones and half surrogates as visible escapes: `\x1b`."""
    return UNSEEN.sub(_visible, text.replace("\r\n", "\n"))


def clean_strings(document: T) -> T:
    """The same document, with every string in it fit for a terminal or a page: clean, and cut."""
    return map_strings(document, lambda text, _: clean(_truncate_text(text)))


def _truncate_text(text: str) -> str:
    left_out = len(text) - LONGEST
    return f"{text[:LONGEST]}… ({left_out} more characters)" if left_out > 0 else text


def _visible(found: re.Match[str]) -> str:
    number = ord(found[0])
    if number > 0xFFFF:
        return f"\\U{number:08x}"
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}"


def _uuid_numbering() -> Callable[[re.Match[str]], str]:
    """Number UUIDs as they come; a shortened UUID has the number of the whole one."""
    known: list[str] = []

    def hide(found: re.Match[str]) -> str:
        uuid = found[2].lower()
        for number, other in enumerate(known, start=1):
            if other.startswith(uuid) or uuid.startswith(other):
                return f"{found[1]}-<uuid-{number}>"
        known.append(uuid)
        return f"{found[1]}-<uuid-{len(known)}>"

    return hide


def _host_numbering() -> Callable[[re.Match[str]], str]:
    """Number hosts as they come, so that cards of different ones stay apart."""
    known: dict[str, int] = {}
    return lambda found: f"<host-{known.setdefault(found[0], len(known) + 1)}>"


def _hide_posix_home(found: re.Match[str]) -> str:
    # Inside a longer path (/mnt/home/ann), `~` would name another folder.
    return f"{found['before']}{found['folder']}<user>" if found["before"] else "~"


def _find_named_secrets(document: object) -> set[str]:
    """What the user's command names as a secret: a log of it may quote it."""
    found: set[str] = set()

    def collect(words: tuple[str, ...]) -> tuple[str, ...]:
        found.update(find_secrets(words))
        return words

    map_fields(document, "command", collect)
    return found


def _match_secrets(secrets: set[str]) -> re.Pattern[str] | None:
    longest_first = sorted(map(re.escape, secrets), key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(longest_first)})(?!\w)") if secrets else None
