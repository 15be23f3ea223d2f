"""Passwords, access tokens and serial numbers, as they look in text and in names."""

import re

_TOKEN = re.compile(
    r"""(?<![A-Za-z0-9])(?:
        gh[opsur]_[A-Za-z0-9]{16,}          # GitHub
      | github_pat_\w{16,}
      | glpat-[\w-]{16,}                    # GitLab
      | hf_[A-Za-z0-9]{16,}                 # Hugging Face
      | nvapi-[\w-]{16,}                    # NVIDIA
      | sk-[\w-]{16,}                       # OpenAI and others
      | pypi-[\w-]{16,}
      | npm_[A-Za-z0-9]{16,}
      | A[KS]IA[0-9A-Z]{16}                 # Amazon
      | AIza[\w-]{30,}                      # Google
      | xox[a-z]-[A-Za-z0-9-]{10,}          # Slack
      | eyJ[\w-]{8,}\.[\w-]{2,}\.[\w-]*     # JSON web token
    )""",
    re.VERBOSE,
)
_KEY_BLOCK = re.compile(
    r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----.*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|\Z)",
    re.DOTALL,
)
_NAMES = (
    r"(?:token|passw(?:or)?d|passphrase|secret|credentials?"
    r"|(?:api|access|private|signing|license|account|sharedaccess)[_-]?key|[_-]key"
    r"|(?<![a-z])auth)"
)
_NAMED = re.compile(
    rf"""({_NAMES}["']?\s{{0,2}}[=:]\s{{0,2}}|--{_NAMES}\s)("[^"\n]*"|'[^'\n]*'|[^\s"'&;,]+)""",
    re.IGNORECASE,
)
_BEARER = re.compile(r"\b(Bearer|Basic)\s+[\w.+/=~-]{8,}", re.IGNORECASE)
# A password may hold any sign; `host:8080/` is none.
_URL_LOGIN = re.compile(
    r"(?<=://)(?:[^\s/:@]{0,128}:(?!\d{1,5}/)[^\s@]{1,256}@|[^\s/@]{1,256}@)(?:[^\s/@]{1,256}@)*"
)
_LOGIN = re.compile(r"(?<![\w./-])[\w.+-]{1,64}:[^\s:@/]{1,128}@(?!sha\d)(?=[\w-])")
_QUERY = re.compile(
    r"""([?&#;](?:amp;)?)([\w.-]{1,64})(=)([^\s&#;"'<>]+)""",
)
_QUERY_NAME = re.compile(
    r"sig(?:nature)?|.*signature|.*credential|.*security-token|.*keyid|key-pair-id|policy|code|key"
    r"|state|session.*|ticket|jwt|pat|pwd|hmac|hash|otp",
    re.IGNORECASE,
)
_QUERY_RANDOM = re.compile(r"(?=.*\d)(?=.*[A-Za-z])[\w%+/=~-]{20,}")
"""So long a value, with digits and letters: it may be a key, whatever its name."""
_WEBHOOK = re.compile(
    r"""(//(?:
        hooks\.slack(?:-gov)?\.com/[a-z]+/
      | (?:[\w-]+\.)?discord(?:app)?\.com/api/(?:v\d+/)?webhooks/
      | [\w-]+\.webhook\.office\.com/
    ))[^\s"'<>]+""",
    re.VERBOSE,
)
"""Who knows such an address can write to a channel."""
_CLOUD_WORD = re.compile(
    r"\b((?:AWS|AZURE|ARM|GOOGLE|GCP|OCI|ALIBABA)_(?!(?:DEFAULT_)?REGION)\w{1,64}=)"
    r"""("[^"\n]*"|'[^'\n]*'|[^\s"'&;,]+)"""
)
_SERIAL = re.compile(
    r"""(serial(?:[ _-]?(?:number|num|no))?["']?\s{0,60}[:=]\s{0,4}["']?)([^\s"',;]+)""",
    re.IGNORECASE,
)
# Whole words only: TOKENIZERS_PARALLELISM is no secret.
_SECRET_NAME = re.compile(
    rf"(?:{_NAMES}s?|(?<![a-z])(?:authentication|authorization|private))(?![a-z])", re.IGNORECASE
)


def hide_secrets(text: str) -> str:
    """The text without what opens an account or identifies one device."""
    text = _KEY_BLOCK.sub("<secret>", text)
    if "://" in text:
        text = _URL_LOGIN.sub("<secret>@", text)
        text = _WEBHOOK.sub(r"\1<secret>", text)
        text = _QUERY.sub(_hide_query, text)
    text = _LOGIN.sub("<secret>@", text) if "@" in text else text
    text = _CLOUD_WORD.sub(r"\1<secret>", text)
    text = _TOKEN.sub("<secret>", text)
    text = _BEARER.sub(r"\1 <secret>", text)
    text = _NAMED.sub(r"\1<secret>", text)
    return _SERIAL.sub(r"\1<serial>", text)


def _hide_query(found: re.Match[str]) -> str:
    """A signed address opens what it names to everybody who reads it."""
    start, name, joint, value = found.groups()
    telling = _QUERY_NAME.fullmatch(name) or secret_name(name) or _QUERY_RANDOM.fullmatch(value)
    return f"{start}{name}{joint}<secret>" if telling else found[0]


def secret_name(name: str) -> bool:
    """Whether a variable of this name holds a secret: `HF_TOKEN`, `password`."""
    return bool(_SECRET_NAME.search(name))
