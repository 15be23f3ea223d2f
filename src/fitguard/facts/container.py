"""The container that this runs in, and whether the host's driver can be seen from it."""

import re
from collections.abc import Mapping
from pathlib import Path

from fitguard.facts import files
from fitguard.schema.hardware import Container

# Singularity and Kubernetes come first: other runtimes' marks can lie inside of them.
VARIABLES = {
    "APPTAINER_NAME": "singularity",
    "SINGULARITY_NAME": "singularity",
    "KUBERNETES_SERVICE_HOST": "kubernetes",
}
MARKS = {
    ".singularity.d": "singularity",
    "run/.containerenv": "podman",
    ".dockerenv": "docker",
}
NAMES = {
    "docker": "docker",
    "podman": "podman",
    "libpod": "podman",
    "kubepods": "kubernetes",
    "lxc": "lxc",
    "lxc.payload": "lxc",
}


def read(environment: Mapping[str, str], root: Path = Path("/")) -> Container:
    """The container; `runtime` is None outside of any."""
    runtime, evidence = _runtime(environment, root)
    return Container(runtime, evidence, _host_has_gpu(root))


def _runtime(environment: Mapping[str, str], root: Path) -> tuple[str | None, str | None]:
    for variable, runtime in VARIABLES.items():
        if environment.get(variable):
            return runtime, f"environment variable {variable}"
    for mark, runtime in MARKS.items():
        if (root / mark).exists():
            return runtime, f"/{mark} exists"
    return _read_declaration(root) or _by_cgroup(root) or (None, None)


def _read_declaration(root: Path) -> tuple[str, str] | None:
    """What the runtime told the first process, or systemd."""
    for line in (files.text(root / "proc/1/environ") or "").split("\0"):
        if line.startswith("container=") and line[10:] in NAMES:
            return NAMES[line[10:]], f"/proc/1/environ: {line}"
    declared = files.text(root / "run/systemd/container")
    if declared in NAMES:
        return NAMES[declared], f"/run/systemd/container: {declared}"
    return None


def _by_cgroup(root: Path) -> tuple[str, str] | None:
    for line in (files.text(root / "proc/1/cgroup") or "").splitlines():
        for part in re.split(r"[/:-]", line):
            name = part.removesuffix(".slice").removesuffix(".scope")
            if name in NAMES:
                return NAMES[name], f"/proc/1/cgroup: {line}"
    return None


def _host_has_gpu(root: Path) -> bool | None:
    if (root / "proc/driver/nvidia/version").exists() or (root / "sys/module/nvidia").exists():
        return True
    return False if (root / "sys/module").is_dir() else None
