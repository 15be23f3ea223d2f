"""Fixes that several checks give, written for the platform at hand.

Commands here only add or upgrade. Whatever removes, kills or restarts stands in a fix's text.
"""

import re
from collections.abc import Iterable

from fitguard import shell
from fitguard.knowledge.tensorflow import Release
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Fix
from fitguard.schema.versions import parse

_VERSION = r"[A-Za-z0-9][A-Za-z0-9.*+_-]*"
_BOUND = rf"(?:===?|~=|!=|<=?|>=?) ?{_VERSION}"
# Of PEP 508: a name, extras, and bounds. Nothing that a shell understands, and no option of pip.
_REQUIREMENT = re.compile(
    rf"[A-Za-z0-9][A-Za-z0-9._-]*(?:\[[A-Za-z0-9._,-]+\])?(?:{_BOUND}(?:, ?{_BOUND})*)?"
)


def pip_install(facts: Facts, *requirements: str, reinstall: bool = False) -> tuple[str, ...]:
    """`python -m pip install …` with the interpreter that was judged; as `pip_line`."""
    options = " --force-reinstall --no-deps" if reinstall else ""
    return pip_line(f"{python_command(facts)} -m pip install{options}", requirements)


def pip_line(start: str, requirements: Iterable[str]) -> tuple[str, ...]:
    """A command of pip; none where a requirement holds more than names, versions and bounds."""
    wanted = tuple(requirements)
    if not all(_REQUIREMENT.fullmatch(item) for item in wanted):
        return ()
    quoted = (f'"{item}"' if set(item) & set("<>[]=!~ ") else item for item in wanted)
    return (f"{start} {' '.join(quoted)}",)


def python_command(facts: Facts) -> str:
    """The interpreter that was judged, as a shell calls it."""
    executable = facts.python.executable if facts.python else None
    return (shell.path(facts, executable) if executable else None) or "python"


def requirement(release: Release, *, gpu: bool = True) -> str:
    """What to ask pip for: `tensorflow[and-cuda]==2.21.0`, `tensorflow-gpu==1.15.5` …"""
    if not gpu:
        return f"tensorflow-cpu=={release.version}"
    return f"{release.gpu_package}=={release.version}"


def constraints(release: Release) -> tuple[str, ...]:
    """Bounds that the wheel itself forgot: without them pip takes versions that break it."""
    forgotten = []
    if "<" not in release.numpy and not release.numpy2 and "~=" not in release.numpy:
        forgotten.append("numpy<2")
    if "<" not in release.protobuf and parse(release.version) < (2, 12):
        forgotten.append("protobuf<3.21")
    return tuple(forgotten)


def driver(facts: Facts, least: str | None = None, branch: str | None = None) -> Fix:
    """How to get a driver: at least `least`, or just the last `branch` that serves an old GPU."""
    aim = f"driver branch {branch}" if branch else f"driver {least} or newer" if least else ""
    aim = aim or "NVIDIA's driver"
    platform = facts.platform
    if facts.container is not None and facts.container.runtime:
        return Fix(text=f"The driver is the host's, not the container's: install {aim} there.")
    if platform is not None and (platform.wsl or platform.system == "windows"):
        where = "on Windows itself, never inside WSL" if platform.wsl else "from nvidia.com/drivers"
        return Fix(text=f"Install {aim} {where}, then restart Windows.")
    distribution = (platform.distribution or "") if platform else ""
    return Fix(
        text=f"Install {aim}, then restart the machine.",
        commands=_driver_commands(distribution, branch),
    )


def _driver_commands(distribution: str, branch: str | None) -> tuple[str, ...]:
    name = distribution.split()[0] if distribution else ""
    if branch and not branch.isdecimal():
        return ()
    if name == "ubuntu":
        if branch:
            return ("sudo apt-get update", f"sudo apt-get install nvidia-driver-{branch}")
        return ("sudo apt-get update", "sudo ubuntu-drivers install")
    if branch:
        return ()
    if name == "debian":
        return ("sudo apt-get update", "sudo apt-get install nvidia-driver")
    if name == "fedora":
        return ("sudo dnf install akmod-nvidia",)
    if name == "arch":
        return ("sudo pacman -S nvidia",)
    return ()
