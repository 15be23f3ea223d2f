"""Fixes that several checks give, written for the platform at hand.

Commands here only add or upgrade. Whatever removes, kills or restarts stands in a fix's text.
"""

import shlex

from fitguard.knowledge.tensorflow import Release
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Fix
from fitguard.schema.versions import parse

# The last of NVIDIA's own images with TensorFlow; it is built for ARM and for Blackwell too.
NVIDIA_CONTAINER = "NVIDIA's container nvidia/tensorflow:25.02-tf2-py3 (NGC catalogue)"


def pip_install(facts: Facts, *requirements: str) -> str:
    """`python -m pip install …` with the interpreter that was judged."""
    quoted = (f'"{item}"' if set(item) & set("<>[]=!~ ") else item for item in requirements)
    return f"{python_command(facts)} -m pip install {' '.join(quoted)}"


def python_command(facts: Facts) -> str:
    """The interpreter that was judged, as a shell calls it."""
    executable = facts.python.executable if facts.python and facts.python.executable else "python"
    return _quoted_path(executable)


def _quoted_path(path: str) -> str:
    """A path for the shell; a leading `~` stays bare, so that the shell expands it."""
    return "~" + shlex.quote(path[1:]) if path.startswith("~") else shlex.quote(path)


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


def set_variable(facts: Facts, name: str, value: str) -> str:
    """The command that sets an environment variable in the shell of the platform."""
    windows = facts.platform is not None and facts.platform.system == "windows"
    return f"setx {name} {value}" if windows else f"export {name}={value}"


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
