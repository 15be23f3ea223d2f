"""Arguments of the user's command without secrets.

A long option says what its value is. A short one does not: `-p` is a port here and a password
there. What cannot be told apart is left out: only numbers and files are shown behind it.
"""

import itertools
import re
from collections.abc import Sequence

from fitguard.knowledge.secrets import secret_name

_HIDDEN = "<secret>"
_SHORT = re.compile(r"-(?P<letter>[A-Za-z])(?P<joint>=?)(?P<value>.*)", re.DOTALL)
_PASSWORD = "pP"
_SECRET_OPTIONS = ("p", "pw", "pwd", "pass")
"""Too short to be names of secrets in any text."""
_PLAIN = re.compile(
    r"""
      [+-]?\d{0,9}(?:\.\d{0,9})?(?:e[+-]?\d{1,3})?      # numbers
    | (?:\.{0,2}|~)/\S*                                 # paths
    | \S*\.(?:py|json|ya?ml|toml|csv|txt|h5|hdf5|keras|npy|npz|parquet|tfrecords?|log|ini|cfg)
    | true | false | yes | no | on | off | none | auto
    """,
    re.IGNORECASE | re.VERBOSE,
)
_RANDOM = re.compile(r"(?<![A-Za-z0-9])(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{20,}")
"""So many letters and digits without a break: nobody types that but as a key."""
_LINE = re.compile(
    r"""(?P<before>\s-[A-Za-z](?:=|\s+))(?P<value>"[^"\n]*"|'[^'\n]*'|[^\s"']+)"""
    r"""|(?P<joined>\s-[pP](?=\S)(?!=))(?P<rest>\S+)"""
)


def hide_arguments(words: Sequence[str]) -> tuple[str, ...]:
    """The words of a command; what stands before the script belongs to Python."""
    script = _find_script(words)
    return (*words[:script], *_hide_words(words[script:]))


def find_secrets(words: Sequence[str]) -> set[str]:
    """Values that are secrets by the name of their option: they may stand elsewhere too."""
    pairs = itertools.pairwise(words)
    found = {word for option, word in pairs if _names_secret(option)}
    joined = [word.partition("=") for word in words if word.startswith("-")]
    found |= {value for name, _, value in joined if _names_secret(name)}
    return {value for value in found if len(value) >= 4 and not _PLAIN.fullmatch(value)}


def hide_in_line(line: str) -> str:
    """A command line of fitguard's that ends with the user's own words."""
    return _RANDOM.sub(_HIDDEN, _LINE.sub(_hide_found, line))


def _find_script(words: Sequence[str]) -> int:
    """Where the arguments of the script begin."""
    for number, word in enumerate(words):
        if word == "-m":
            return number + 2
        if word.endswith((".py", ".pyw")):
            return number + 1
    return 1


def _hide_words(words: Sequence[str]) -> list[str]:
    shown: list[str] = []
    before = ""
    for word in words:
        shown.append(_hide_word(before, word))
        before = word
    return shown


def _hide_word(before: str, word: str) -> str:
    is_value = not word.startswith("-") or _PLAIN.fullmatch(word) is not None
    if is_value and _names_secret(before):
        return _HIDDEN
    if is_value and _SHORT.fullmatch(before) and len(before) == 2 and not _PLAIN.fullmatch(word):
        return _HIDDEN
    short = _SHORT.fullmatch(word)
    if short and (short["joint"] or short["letter"] in _PASSWORD) and short["value"]:
        is_number = _PLAIN.fullmatch(short["value"]) and short["letter"] not in _PASSWORD
        return word if is_number else f"-{short['letter']}{short['joint']}{_HIDDEN}"
    return _RANDOM.sub(_HIDDEN, word)


def _names_secret(option: str) -> bool:
    if option.lstrip("-").lower() in _SECRET_OPTIONS and option.startswith("-"):
        return True
    return option.startswith("-") and "=" not in option and secret_name(option)


def _hide_found(found: re.Match[str]) -> str:
    if found["joined"]:
        return f"{found['joined']}{_HIDDEN}"
    letter = found["before"].strip(" =")[-1]
    plain = letter == "m" or (_PLAIN.fullmatch(found["value"]) and letter not in _PASSWORD)
    return found[0] if plain else f"{found['before']}{_HIDDEN}"
