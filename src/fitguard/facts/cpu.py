"""The processor, and the instruction sets that TensorFlow's builds ask for."""

import os
from pathlib import Path

from fitguard.schema.hardware import Cpu

X86_FEATURES = {
    "sse4_1": "sse4_1",
    "sse4_2": "sse4_2",
    "avx": "avx",
    "avx2": "avx2",
    "fma": "fma",
    "f16c": "f16c",
    "avx512f": "avx512f",
    "amx_tile": "amx",
}
ARM_FEATURES = {
    name: name for name in ("asimd", "asimdhp", "asimddp", "atomics", "bf16", "i8mm", "sve", "sve2")
}


def read(root: Path = Path("/")) -> Cpu:
    """The first processor's facts; the number of cores that this process may use."""
    info = _first_processor(root / "proc/cpuinfo")
    return Cpu(model=_model(info), cores=_cores(), features=_features(info))


def _first_processor(path: Path) -> dict[str, str]:
    """The file's first block: the kernel takes long to write all of it on a large machine."""
    info: dict[str, str] = {}
    try:
        with path.open(encoding="utf-8", errors="replace") as lines:
            for line in lines:
                key, colon, value = line.partition(":")
                if not colon and info:
                    break
                info[key.strip()] = value.strip()
    except OSError:
        return {}
    return info


def _model(info: dict[str, str]) -> str | None:
    if "CPU part" in info and "model name" not in info:
        return f"ARM implementer {info.get('CPU implementer', '?')}, part {info['CPU part']}"
    return info.get("model name") or os.environ.get("PROCESSOR_IDENTIFIER")


def _features(info: dict[str, str]) -> tuple[str, ...] | None:
    if "flags" in info:
        present, names = info["flags"].split(), X86_FEATURES
    elif "Features" in info:
        present, names = info["Features"].split(), ARM_FEATURES
    else:
        return None
    return tuple(name for flag, name in names.items() if flag in present)


def _cores() -> int | None:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count()
