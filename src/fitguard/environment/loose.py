"""What people write of a machine after a crash: read what can be read, note the rest.

`driver=R536`, `cuda=10.x`, `gpu=2x GTX 1060 6GB` and `tf=tf-nightly-gpu 2.5.0.dev20201125` are all
answers that people give. Nothing here is an error.
"""

import re
from collections.abc import Mapping

import msgspec

from fitguard.environment import loose_surroundings as surroundings
from fitguard.environment.given import Given
from fitguard.environment.loose_gpus import read_gpus, unknown_model
from fitguard.environment.supposition import KEYS, suppose
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.facts import Facts

LONGEST = 4000
"""Characters of a value that are read: a library path may be long."""
LONGEST_QUOTED = 80

_VERSION = re.compile(
    r"(?<![\w.])(?:(?:CUDA|cuDNN|driver|python|tensorflow|tf)[ :=-]*)?[vr]?(\d+(?:\.\d+)*)", re.I
)
_UNFINISHED = re.compile(r"(?<![\w.])v?\d+\.\d+(?:\.\d+)?[-.]?(?:rc|dev|a|b)\d*", re.I)
_NOTHING = re.compile(r"(?:none|no|not installed)\b", re.I)
_WORDS_APART = (
    # nvidia-smi shows what the driver can serve, not what is installed.
    (r"\d+(?:\.\d+)*\s*\((?:from |by |in )?(?:nvidia-smi|driver)[^)]*\)", " "),
    # tf.version.GIT_VERSION: the branch is right, the number of the release may be another.
    (r"\bv?(\d+\.\d+)\.\d+\S{0,8}-\d+-g[0-9a-f]{5,40}\b", r" \1 "),
    (r"\bcu(\d\d)(\d)?\b", r" \1.\2 "),
)
_OF_ANOTHER = {
    "cuda": r"(?:with |and |, ?)?cudnn[ :=v]*[\d.]+",
    "cudnn": r"(?:for |with |and |, ?)?cuda[ :=v]*[\d.]+",
}
_ENOUGH = {"tf": 2, "python": 2}
"""How many numbers a version must have to mean one thing: Python 3 is no version."""
_LARGEST = {"driver": (100, 2000), "cuda": (1, 100), "cudnn": (1, 100), "python": (2, 4)}
"""Where the first number of a version lies; others in the same text are of something else."""
_SYSTEMS = (
    ("wsl", "wsl2"),
    ("subsystem for linux", "wsl2"),
    ("darwin", "macos"),
    ("mac", "macos"),
    ("os x", "macos"),
    ("windows", "windows"),
    ("win", "windows"),
    ("aarch64", "linux-aarch64"),
    ("arm64", "linux-aarch64"),
    ("jetson", "linux-aarch64"),
)


def suppose_loosely(
    what_if: Mapping[str, str], origins: Mapping[str, str] | None = None
) -> tuple[Facts, list[str]]:
    """The facts that can be read, and a note on each value that could not be used.

    Args:
        origins: Where the value of a key is known from, if not from the user.
    """
    read: dict[str, str] = {}
    notes: list[str] = []
    apart: dict[str, str] = {}
    capability = what_if.get("compute-capability")
    for name, value in what_if.items():
        key = name.strip().lower().replace("_", "-")
        text = str(value).strip()[:LONGEST]
        said = _format_setting(name, text)
        if key not in KEYS and key not in surroundings.KEYS:
            notes.append(f"{said}: not a key that is known; left out")
        elif text and (key == "gpu" or key in surroundings.KEYS):
            apart[key] = text
            notes += [f"{said}: {reason}" for reason in _explain_unclear(key, text, capability)]
        elif (plain := _read_value(key, text)) is not None:
            read[key] = plain
        else:
            notes.append(f"{said}: no single {key} can be read from it; left out")
    facts = _build_accepted_facts(
        {**surroundings.read_install_keys(apart.get("install", "")), **read}, notes, origins
    )
    return _add_apart_facts(facts, Given(apart, origins), capability), notes


def _explain_unclear(key: str, text: str, capability: str | None) -> list[str]:
    """Why less is known than the value promised."""
    if key == "gpu":
        return unknown_model(read_gpus(text, "", capability))
    return (
        []
        if surroundings.is_known_value(key, text)
        else [f"tells nothing of the {key} that is known"]
    )


def _add_apart_facts(facts: Facts, apart: Given, capability: str | None) -> Facts:
    """The facts, and those that are no single word or number."""
    if (text := apart.get("gpu")) is not None:
        gpus = read_gpus(text, apart.origin("gpu"), capability)
        facts = msgspec.structs.replace(facts, gpus=gpus)
    return surroundings.add_surroundings(facts, apart)


def _format_setting(name: str, text: str) -> str:
    whole = f"{name}={text}"
    return whole if len(whole) <= LONGEST_QUOTED else f"{whole[:LONGEST_QUOTED]}…"


def _build_accepted_facts(
    read: dict[str, str], notes: list[str], origins: Mapping[str, str] | None
) -> Facts:
    """What the doctor's own keys accept, each by itself and then together."""
    good: dict[str, str] = {}
    for key, value in read.items():
        try:
            suppose({**good, key: value})
            good[key] = value
        except UsageError as error:
            notes.append(f"{_format_setting(key, value)}: {str(error)[: 2 * LONGEST_QUOTED]}")
    return suppose(good, origins=origins)


def _read_value(key: str, text: str) -> str | None:
    if not text:
        return None
    if key == "os":
        return _system(text)
    if _NOTHING.match(text):
        return "none"
    if key in ("library-path", "cuda-toolkits"):
        return text
    if key in ("package", "extras"):
        return _distribution(key, text)
    if key == "compute-capability":
        return re.sub(r"^\D*(\d{1,2})\.?(\d)\D*$", r"\1.\2", text)
    # `2.2.4-tf` is what tf.keras calls itself: no package of its own.
    if key == "keras" and text.endswith("-tf"):
        return text
    return _version(key, text)


def _version(key: str, text: str) -> str | None:
    for pattern, replacement in _WORDS_APART:
        text = re.sub(pattern, replacement, text, flags=re.I)
    if key == "tf" and (unfinished := _UNFINISHED.search(text)):
        return unfinished[0].lstrip("vV").replace("-", ".")
    text = re.sub(_OF_ANOTHER.get(key, "$^"), " ", text, flags=re.I)
    if pair := re.fullmatch(r"v?([\d.]+)\s*/\s*v?([\d.]+)", text):  # CUDA/cuDNN in issue forms
        text = pair[2] if key == "cudnn" else pair[1] if key == "cuda" else text
    outside = re.sub(r"\([^)]*\)", " ", text)
    found = _plausible(key, outside) or _plausible(key, text)
    if not found:
        return None
    best = max(found, key=len)
    enough = best.count(".") + 1 >= _ENOUGH.get(key, 1)
    return best if enough and all(_same_minor(best, other) for other in found) else None


def _same_minor(version: str, other: str) -> bool:
    """`11.2.1` and `11.2`, and `11` too, which says less but nothing else."""
    return all(a == b for a, b in zip(version.split(".")[:2], other.split("."), strict=False))


def _plausible(key: str, text: str) -> list[str]:
    low, high = _LARGEST.get(key, (0, 10**9))
    versions = [match[1] for match in _VERSION.finditer(text)]
    return [v for v in dict.fromkeys(versions) if low <= int(v.split(".")[0][:9]) < high]


def _system(text: str) -> str | None:
    lower = text.lower()
    if _NOTHING.match(lower):
        return None
    return next((name for word, name in _SYSTEMS if word in lower), "linux-x86_64")


def _distribution(key: str, text: str) -> str | None:
    wanted = r"tensorflow(?:-gpu|-cpu)?(?![\w-])" if key == "package" else r"and-cuda"
    found = re.search(wanted, text.lower())
    return found[0] if found else None
