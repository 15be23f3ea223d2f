"""`--what-if KEY=VALUE`: facts of a machine that is not this one.

What is not given is unknown, not wrong. `none` says that a thing is surely not there.
"""

import difflib
import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from fitguard.environment.given import Given
from fitguard.environment.supposed_libraries import suppose_libraries
from fitguard.knowledge import Knowledge, knowledge
from fitguard.schema.exit_codes import UnreadableInput, UsageError
from fitguard.schema.facts import Facts
from fitguard.schema.hardware import Driver, Gpu
from fitguard.schema.software import Package, Packages, Platform, Python, TensorFlow
from fitguard.schema.versions import parse, text

KEYS = {
    "tf": "TensorFlow's version: 2.10.1, or 2.10 for the newest 2.10",
    "package": "tensorflow, tensorflow-gpu or tensorflow-cpu",
    "extras": "and-cuda",
    "keras": "version of keras",
    "tf-keras": "version of tf-keras",
    "python": "version of Python",
    "cuda": "version of the CUDA runtime that is loaded, or none",
    "cudnn": "version of the cuDNN that is loaded, or none",
    "driver": "version of NVIDIA's driver, or none",
    "gpu": "name of the GPU, or none",
    "compute-capability": "of the GPU, such as 8.6",
    "numpy": "version of numpy",
    "protobuf": "version of protobuf",
    "os": "linux-x86_64, linux-aarch64, windows, wsl2 or macos",
    "library-path": "LD_LIBRARY_PATH, its folders parted by colons",
    "cuda-toolkits": "versions of the installed CUDA toolkits, parted by commas",
}
_PACKAGES = ("tensorflow", "tensorflow-gpu", "tensorflow-cpu")
_SYSTEMS = {
    "linux-x86_64": Platform(system="linux", machine="x86_64"),
    "linux-aarch64": Platform(system="linux", machine="aarch64"),
    "windows": Platform(system="windows", machine="x86_64"),
    "wsl2": Platform(system="linux", machine="x86_64", wsl=True),
    "macos": Platform(system="macos"),
}
_EXAMPLES = {
    "driver": "535.104.05",
    "compute-capability": "8.6",
    "numpy": "1.26.4",
    "protobuf": "4.25.3",
    "python": "3.11",
}
_SYNONYMS = {"linux": "linux-x86_64", "wsl": "wsl2", "win": "windows", "mac": "macos"}


def parse_arguments(arguments: Iterable[str]) -> dict[str, str]:
    """`["tf=2.10", "gpu=Tesla K80"]` → a dict.

    Raises:
        UsageError: for an unknown key, a missing `=` or a key given twice.
    """
    given: dict[str, str] = {}
    for argument in arguments:
        key, separator, value = argument.partition("=")
        if not separator or not value.strip():
            raise UsageError(f"Received --what-if {argument!r}. Expected KEY=VALUE, say tf=2.10.1")
        ((key, value),) = normalize_keys({key: value}).items()
        if key in given:
            raise UsageError(f"Received {key} twice ({given[key]} and {value}). Expected one value")
        given[key] = value
    return given


def normalize_keys(given: Mapping[str, object]) -> dict[str, str]:
    """Keys in one spelling, values as text.

    Raises:
        UsageError: for an unknown key, or a value that is neither text nor a list of it.
    """
    known: dict[str, str] = {}
    for name, value in given.items():
        key = name.strip().lower().replace("_", "-")
        if key not in KEYS:
            raise UsageError(_unknown_key(key))
        known[key] = _plain(key, value)
    return known


def _plain(key: str, value: object) -> str:
    if isinstance(value, list | tuple):
        return ",".join(_plain(key, item) for item in value)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not value.strip():
        hint = " 2.10 and 2.1 are one number" if isinstance(value, float) else ""
        raise UsageError(f"Received {key}={value!r}. Expected text in quotes, say '2.10'.{hint}")
    return value.strip()


def _unknown_key(key: str) -> str:
    close = difflib.get_close_matches(key, KEYS, n=1)
    hint = f" Did you mean {close[0]}?" if close else ""
    return f"Received the key {key!r}.{hint} Expected one of: {', '.join(KEYS)}"


def read_file(path: Path) -> dict[str, str]:
    """The keys in a JSON file: an object of text, whole numbers or lists of them.

    Raises:
        UnreadableInput: if it cannot be read, is no JSON, no such object, or has unknown keys.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise UnreadableInput(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UnreadableInput(f"{path}: no text in UTF-8 (byte {error.start})") from error
    except json.JSONDecodeError as error:
        raise UnreadableInput(f"{path}, line {error.lineno}: no JSON: {error.msg}") from error
    except (RecursionError, ValueError) as error:
        raise UnreadableInput(f"{path}: nested too deeply or with numbers too long") from error
    if not isinstance(content, dict):
        raise UnreadableInput(
            f"{path}: Received a {type(content).__name__}. "
            'Expected an object such as {"tf": "2.10.1"}'
        )
    try:
        return normalize_keys(content)
    except UsageError as error:
        raise UnreadableInput(f"{path}: {error}") from error


def suppose(
    what_if: Mapping[str, object],
    tables: Knowledge | None = None,
    origins: Mapping[str, str] | None = None,
) -> Facts:
    """Facts from what-if keys.

    Args:
        origins: Where the value of a key is known from, if not from the user.

    Raises:
        UsageError: for an unknown key, a version that does not exist, an unknown GPU or system.
    """
    given = Given(normalize_keys(what_if), origins)
    tables = tables or knowledge()
    tensorflow = _tensorflow(given, tables)
    platform = _platform(given)
    return Facts(
        python=_python(given),
        platform=platform,
        packages=_packages(given, tensorflow, tables),
        tensorflow=tensorflow,
        libraries=suppose_libraries(given, tensorflow, tables),
        driver=_driver(given),
        gpus=_gpus(given, tables),
        environment=(
            {"LD_LIBRARY_PATH": given["library-path"]} if "library-path" in given else None
        ),
    )


def version_of(given: Mapping[str, str], key: str) -> str | None:
    """The value of a key as a version, None where it is not given.

    Raises:
        UsageError: if it does not look like a version.
    """
    if key not in given:
        return None
    value = given[key]
    example = _EXAMPLES.get(key, "2.10.1")
    match = re.fullmatch(r"[vVrR]?(\d{1,9}(?:\.\d{1,9})*)(\.x|\.\*|[-+.]?[A-Za-z][\w.+-]*)?", value)
    if not match:
        raise UsageError(f"Received {key}={value!r}. Expected a version such as {example}")
    return value.lstrip("vV") if key == "tf" else match[1]


def _python(given: Given) -> Python | None:
    version = version_of(given, "python")
    if version is None:
        return None
    if not (2,) <= parse(version) < (4,):
        raise UsageError(f"Received python={version}. Expected a version such as 3.11")
    return Python(version=version, origin=given.origin("python"))


def _platform(given: Given) -> Platform | None:
    if "os" not in given:
        return None
    name = given["os"].lower()
    name = _SYNONYMS.get(name, name)
    if name not in _SYSTEMS:
        raise UsageError(f"Received os={given['os']!r}. Expected one of: {', '.join(_SYSTEMS)}")
    return msgspec.structs.replace(_SYSTEMS[name], origin=given.origin("os"))


def _tensorflow(given: Given, tables: Knowledge) -> TensorFlow | None:
    package = given.get("package")
    if package is not None and package not in _PACKAGES:
        raise UsageError(f"Received package={package!r}. Expected one of: {', '.join(_PACKAGES)}")
    extras = given.get("extras")
    if extras not in (None, "and-cuda", "none"):
        raise UsageError(f"Received extras={extras!r}. Expected and-cuda (or none)")
    version = version_of(given, "tf")
    if version is None:
        return None
    return TensorFlow(
        version=_release(version, version_of(given, "python"), tables),
        package="tensorflow" if package is None and extras == "and-cuda" else package,
        extras=None if extras is None else () if extras == "none" else (extras,),
        origin=given.origin("tf"),
    )


def _release(version: str, python: str | None, tables: Knowledge) -> str:
    """The release that a version names; of a mere minor, the newest patch for this Python."""
    matching = tables.tensorflow.matching(version)
    if matching:
        wanted = text(parse(python), 2) if python else None
        fitting = [release for release in matching if wanted in release.pythons]
        return (fitting or matching)[-1].version
    unfinished = re.fullmatch(r"([\d.]+)[-.+]?(rc|dev|a|b)\d*.*", version)
    if unfinished and (near := tables.tensorflow.find(unfinished[1])):
        return near.version
    minor = text(parse(version), 2)
    siblings = [release.version for release in tables.tensorflow.matching(minor)]
    newest = tables.tensorflow.newest.version
    known = f"the {minor} releases are {', '.join(siblings)}" if siblings else f"1.0.0 to {newest}"
    raise UsageError(f"Received tf={version}, which is no release. Expected one of: {known}")


def _packages(given: Given, tensorflow: TensorFlow | None, tables: Knowledge) -> Packages | None:
    for name in ("keras", "tf-keras"):
        version = version_of(given, name)
        if version is not None and tables.keras.row(version, name) is None:
            raise UsageError(f"Received {name}={given[name]}, which is no known {name}")
    found = [
        Package(name=name, version=version, requested=True, origin=given.origin(name))
        for name in ("keras", "tf-keras", "numpy", "protobuf")
        # `2.2.4-tf` is what tf.keras calls itself: no package of its own.
        if (version := version_of(given, name)) is not None and not given[name].endswith("-tf")
    ]
    if tensorflow is not None and tensorflow.package is not None:
        found.append(
            Package(
                name=tensorflow.package,
                version=tensorflow.version,
                requested=True,
                origin=tensorflow.origin,
            )
        )
    return Packages(found=tuple(found)) if found else None


def _driver(given: Given) -> Driver | None:
    if "driver" not in given:
        return None
    if given["driver"].lower() == "none":
        return Driver(origin=given.origin("driver"))
    version = version_of(given, "driver")
    if version is not None and not (100,) <= parse(version) < (2000,):
        raise UsageError(f"Received driver={version}. Expected a version such as 535.104.05")
    return Driver(version=version, kernel_version=version, origin=given.origin("driver"))


def _gpus(given: Given, tables: Knowledge) -> tuple[Gpu, ...] | None:
    capability = version_of(given, "compute-capability")
    if capability is not None and tables.drivers.architecture(capability) is None:
        raise UsageError(
            f"Received compute-capability={capability}. Expected one that exists, say 8.6"
        )
    name = given.get("gpu")
    if name is None:
        if capability is None:
            return None
        origin = given.origin("compute-capability")
        return (Gpu(compute_capability=capability, origin=origin),)
    if name.lower() == "none":
        return ()
    return (_find_gpu(name, capability, given.origin("gpu"), tables),)


def _find_gpu(name: str, capability: str | None, origin: str, tables: Knowledge) -> Gpu:
    models = tables.gpus.find(name)
    if not models and capability is None:
        similar = tables.gpus.similar(name)
        hint = f" Names like it: {', '.join(similar)}." if similar else ""
        raise UsageError(
            f"Received gpu={name!r}, which is not in the table.{hint} "
            "Expected a known name, or its --what-if compute-capability=X.Y beside it"
        )
    capabilities = tables.gpus.capabilities(name)
    if capability is None and len(capabilities) > 1:
        raise UsageError(
            f"Received gpu={name!r}, which was sold with compute capability "
            f"{' and '.join(capabilities)}. Expected --what-if compute-capability=X.Y beside it"
        )
    sizes = {size for model in models for size in model.memory_gib}
    return Gpu(
        name=name,
        compute_capability=capability or capabilities[0],
        architecture=models[0].architecture if models else None,
        memory_bytes=int(min(sizes) * 2**30) if len(sizes) == 1 else None,
        origin=origin,
    )
