"""Reports go to strangers, and quote strangers: private names go out, control characters too."""

import getpass
import os
import platform
import re
from collections.abc import Callable
from typing import TypeVar

from fitguard.report.documents import map_strings
from fitguard.report.tokens import hide_secrets, secret_name

T = TypeVar("T")

IDENTIFIERS = frozenset({"schema", "code", "codes", "slug", "severity", "confidence", "passed"})
"""Fields that fitguard itself fills from a fixed set of words: nothing private is in them."""

_COMMON_WORDS = """
    admin administrator anaconda app appuser bin build builder cache client cloud cluster code
    conda container cpu cuda cudnn data debian debug default deep dev developer docker doctor
    driver error etc example facts fedora files fitguard fix gpu guest home host include info
    jovyan jupyter keras kernel lib linux local localhost log machine main master max memory
    model node nobody none notebook null numpy nvidia opt package path pip private program proc
    public python ray resolve root run runner sbin secret serial server service share slurm
    source src std sys system temp tensor tensorflow test tests tmp token train training ubuntu
    unknown user users usr uuid var venv version warning windows work worker workspace
"""
COMMON_WORDS = frozenset(_COMMON_WORDS.split())
"""User and host names that say nothing of a person, and would spoil paths and sentences."""

LONGEST = 4000
"""Characters of one string that a person is shown; JSON has them all."""

_NAME = r"""[^\s/\\:;,'"<>|()\[\]]+"""
_POSIX_HOME = re.compile(rf"([\w.~-]?)(/(?:home|Users)/)(?!Shared\b){_NAME}")
# A Windows name may hold spaces, but only a backslash behind it shows where it ends.
_WINDOWS_HOME = re.compile(
    rf"""\b[a-z]:([\\/]{{1,2}})Users\1(?!Public\b)(?:[^\\/:*?"<>|\r\n]{{1,64}}(?=[\\/])|{_NAME})""",
    re.IGNORECASE,
)
_GPU_UUID = re.compile(r"\b((?:MIG-)?GPU|MIG)-([0-9a-f]{8}(?:-[0-9a-f]{1,12}){0,4})\b", re.I)
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff]"
)


def redact(document: T, *, home: str, user: str, host: str) -> T:
    """The same document without home folders, names, GPU serials and UUIDs, tokens, passwords.

    Equal UUIDs stay equal, as `GPU-<uuid-1>`, so that `CUDA_VISIBLE_DEVICES` can still be matched.

    Args:
        document: A struct, or the dicts and lists that JSON is made of.
    """
    hide_uuid = _uuid_numbering()
    names = _names_pattern(user, host)
    home_folder = _home_pattern(home)

    def hide(text: str, field: str) -> str:
        if field in IDENTIFIERS:
            return text
        if text and secret_name(field):
            return "<secret>"
        text = hide_secrets(text)
        text = _GPU_UUID.sub(hide_uuid, text)
        if home_folder:
            text = home_folder.sub("~", text)
        text = _WINDOWS_HOME.sub("~", text)
        text = _POSIX_HOME.sub(_hide_posix_home, text)
        return names.sub(lambda found: f"<{found.lastgroup}>", text) if names else text

    return map_strings(document, hide)


def redacted(document: T) -> T:
    """`redact` with the home folder, the user and the host of this process."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError, ImportError):  # a container's user often has no name
        user = ""
    return redact(document, home=os.path.expanduser("~"), user=user, host=platform.node())  # noqa: PTH111


def clean(text: str) -> str:
    r"""Control characters, direction overrides and half surrogates as visible escapes: `\x1b`."""
    return _UNSEEN.sub(_visible, text.replace("\r\n", "\n"))


def cleaned(document: T) -> T:
    """The same document, with every string in it fit for a terminal or a page: clean, and cut."""
    return map_strings(document, lambda text, _: clean(_cut(text)))


def _cut(text: str) -> str:
    left_out = len(text) - LONGEST
    return f"{text[:LONGEST]}… ({left_out} more characters)" if left_out > 0 else text


def _visible(found: re.Match[str]) -> str:
    number = ord(found[0])
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


def _home_pattern(home: str) -> re.Pattern[str] | None:
    folder = home.rstrip("/\\")
    return re.compile(rf"(?<![\w.~-]){re.escape(folder)}(?![\w-])") if folder else None


def _hide_posix_home(found: re.Match[str]) -> str:
    # Inside a longer path (/mnt/home/ann), `~` would name another folder.
    return f"{found[1]}{found[2]}<user>" if found[1] else "~"


def _names_pattern(user: str, host: str) -> re.Pattern[str] | None:
    """Whole words; `_` and `-` end a word, so that `ann_env` is found."""
    parts = [
        f"(?P<{group}>{'|'.join(map(re.escape, telling))})"
        for group, names in (("host", (host, host.split(".")[0])), ("user", (user,)))
        if (telling := [n for n in names if len(n) >= 3 and n.lower() not in COMMON_WORDS])
    ]
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(parts)})(?![^\W_])") if parts else None
