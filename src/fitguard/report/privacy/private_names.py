"""How home folders, user names and host names look in text."""

import re

_COMMON_WORDS = """
    admin administrator anaconda app appuser bin build builder cache client cloud cluster code
    conda container cpu cuda cudnn data debian debug default deep dev developer docker doctor
    driver error etc example facts fedora files fitguard fix gpu guest home host hostname include
    info jovyan jupyter keras kernel lib linux local localhost log machine main master max memory
    model node nobody none notebook null numpy nvidia opt package path pip private program proc
    public python ray resolve root run runner sbin secret serial server service share slurm
    source src std sys system temp tensor tensorflow test tests tmp token train training ubuntu
    unknown user username users usr uuid var venv version warning windows work worker workspace
"""
COMMON_WORDS = frozenset(_COMMON_WORDS.split())
"""User and host names that say nothing of a person, and would spoil paths and sentences."""

UNMISTAKABLE = 5
"""A user name of so many letters is found in any case; `Ann` may begin a sentence."""

_NAME = r"""[^\s/\\:;,'"<>|()\[\]]+"""
_SPACED = r"""[^\\/:*?"'<>|;\r\n]{1,64}"""

POSIX_HOME = re.compile(rf"(?P<before>[\w.~-]?)(?P<folder>/(?:home|Users)/)(?!Shared\b){_NAME}")
WINDOWS_HOME = re.compile(
    rf"""
    (?P<closed>\A|(?<=["';=]))?                     # nothing but the path may follow
    \b[a-z]:(?P<slash>[\\/]{{1,2}})Users(?P=slash)(?!Public\b)
    (?:
        {_SPACED}(?=[\\/])
      | (?(closed){_SPACED}(?=["';]|\Z)|(?!))
      | {_NAME}(?:(?-i:[ ][A-Z][\w.-]*){{1,3}}(?=[,;)\]]|\.?(?:\n|\Z)))?
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""A Windows name may hold spaces: a slash, a quote, the end or small letters show where it ends."""

# `ann@dgx07:~/x$`, as shells begin their lines and scp names files.
_PROMPT = re.compile(r"(?<![\w./-])[\w.-]{1,64}@[\w-][\w.-]{0,63}(?=:[~/])")
# TensorFlow's report on a failed cuInit, and syslog.
_HOST_TOLD = re.compile(r"(hostname: |diagnostic information for host: )\S+")
_SYSLOG = re.compile(
    r"^(\w{3} [ \d]\d \d\d:\d\d:\d\d )[\w.-]+(?= [\w./-]+(?:\[\d+\])?: )", re.MULTILINE
)


def nameless_log(text: str) -> str:
    """The text without the names of users and machines that logs tell of, whoever they are."""
    if "@" in text:
        text = _PROMPT.sub("<user>@<host>", text)
    if "host" in text:
        text = _HOST_TOLD.sub(r"\1<host>", text)
    return _SYSLOG.sub(r"\1<host>", text)


def is_windows(folder: str) -> bool:
    """Whether the path begins with a drive."""
    return bool(re.match(r"[A-Za-z]:[\\/]", folder))


def home_pattern(home: str) -> re.Pattern[str] | None:
    """The home folder itself, and not a namesake of it or a folder inside another tree."""
    folder = home.rstrip("/\\")
    if not folder:
        return None
    if not is_windows(home):
        return re.compile(rf"(?<![\w.~-]){re.escape(folder)}(?![\w-]|\.\w)")
    parts = r"[\\/]{1,2}".join(map(re.escape, re.split(r"[\\/]", folder)))
    return re.compile(rf"(?<![\w.~-]){parts}(?![\w-]|\.\w)", re.IGNORECASE)


def names_pattern(user: str, host: str) -> re.Pattern[str] | None:
    """Whole words, in the groups `user` and `host`; `_` and `-` end a word: `ann_env` is found."""
    hosts = [re.escape(name) for name in (host, host.split(".")[0]) if _telling(name)]
    parts = [f"(?P<host>(?i:{'|'.join(hosts)}))"] if hosts else []
    if _telling(user):
        name = re.escape(user)
        any_case = f"(?i:{name})"
        found = any_case if len(user) >= UNMISTAKABLE else rf"{name}|(?<=\\){any_case}"
        parts.append(f"(?P<user>{found})")
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(parts)})(?![^\W_])") if parts else None


def _telling(name: str) -> bool:
    return len(name) >= 3 and name.lower() not in COMMON_WORDS
