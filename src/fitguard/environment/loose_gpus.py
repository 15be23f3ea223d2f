"""GPUs as people name them: `2x GTX 1060 6GB`, `GTX 660M (CC 3.0)`, `GT 750M; Tesla M2070`."""

import re

import msgspec

from fitguard.knowledge import knowledge
from fitguard.schema.hardware import Gpu

MOST = 64

_CAPABILITY = re.compile(
    r"\b(?:CC|SM|compute[ -]?capability)[\s:=_]*(\d{1,2})\.?(\d)\b", re.IGNORECASE
)
_BEFORE = re.compile(r"^\s*(\d{1,2})\s*(?:[x×*]\s*|\s(?=[a-z]))", re.IGNORECASE)
# Tegra X1 is a name.
_BEHIND = re.compile(r"(?<!tegra)(?<!titan)[\s(]+[x×*]\s*(\d{1,2})\s*\)?\s*$", re.IGNORECASE)
_APART = re.compile(r"\s*(?:[;,+&]|\band\b)\s*", re.IGNORECASE)
_MEMORY = re.compile(r"\b(\d{1,3}(?:\.\d)?)\s*(?:GiB|GB|G)\b", re.IGNORECASE)


def read_gpus(text: str, origin: str, capability: str | None = None) -> tuple[Gpu, ...]:
    """The named models, each as many times as it is there; what is not clear stays unknown.

    Args:
        origin: Where it is known from.
        capability: Of one that bears a name of several, where it was given beside it.
    """
    if re.match(r"(?:none|no|not)\b", text, re.IGNORECASE):
        return ()
    parts = [part for part in _APART.split(_CAPABILITY.sub("", text)) if part.strip("() ")]
    several = len(parts) > 1 and all(knowledge().gpus.find(_model(part)[0]) for part in parts)
    gpus = [
        gpu for part in (parts if several else [text]) for gpu in _read_alike_gpus(part, origin)
    ]
    beside = re.fullmatch(r"\D*(\d{1,2})\.?(\d)\D*", str(capability or ""))
    given = f"{beside[1]}.{beside[2]}" if beside else None
    return tuple(
        msgspec.structs.replace(
            gpu, index=index, compute_capability=gpu.compute_capability or given
        )
        for index, gpu in enumerate(gpus[:MOST])
    )


def unknown_model(gpus: tuple[Gpu, ...]) -> list[str]:
    """Why less is known than the name promised."""
    if all(gpu.compute_capability is not None for gpu in gpus):
        return []
    return ["no single model can be read from it; its architecture stays unknown"]


def _read_alike_gpus(part: str, origin: str) -> tuple[Gpu, ...]:
    name, many = _model(part)
    told = _CAPABILITY.search(part)
    models = knowledge().gpus.find(name) or knowledge().gpus.find(re.sub(r"\([^)]*\)", "", name))
    capabilities = {model.capability for model in models}
    sizes = {size for model in models for size in model.memory_gib}
    clear = capabilities.pop() if len(capabilities) == 1 else None
    gpu = Gpu(
        name=name or part,
        compute_capability=f"{told[1]}.{told[2]}" if told else clear,
        architecture=models[0].architecture if clear else None,
        memory_bytes=_memory(part) or (int(min(sizes) * 2**30) if len(sizes) == 1 else None),
        origin=origin,
    )
    return (gpu,) * many


def _model(text: str) -> tuple[str, int]:
    """The name alone, and how many of them there are."""
    found = _BEFORE.search(text) or _BEHIND.search(text)
    if found:
        text = text[: found.start()] + text[found.end() :]
    name = _CAPABILITY.sub("", text).replace("()", "").strip(" ,;")
    return name, min(max(int(found[1]), 1), MOST) if found else 1


def _memory(text: str) -> int | None:
    found = _MEMORY.search(text)
    return int(float(found[1]) * 2**30) if found else None
