"""An NVML that answers from a recording of a real one (scripts/record_nvml.py)."""

import json
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pynvml

RECORDINGS = Path(__file__).parent / "recordings"


class Handle:
    """What NVML gives for a GPU."""

    def __init__(self, index: int) -> None:
        self.index = index

    def __repr__(self) -> str:
        return f"gpu{self.index}"


class ReplayNvml:
    """Has the names of pynvml: constants and errors are its own, calls come from the recording.

    A call that was not recorded raises LookupError, which no code under test catches.

    Args:
        changes: Answers to give instead of those of the recording, by call.
    """

    def __init__(self, recording: str, changes: dict[str, dict[str, Any]] | None = None) -> None:
        held = json.loads((RECORDINGS / f"{recording}.json").read_text())
        self.calls: dict[str, dict[str, Any]] = held["calls"] | (changes or {})

    def __dir__(self) -> list[str]:
        return dir(pynvml)

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(pynvml, name)
        is_question = name.startswith("nvml") and callable(attribute)
        return partial(self._answer, name) if is_question else attribute

    def _answer(self, name: str, *arguments: Any) -> Any:
        key = f"{name}({', '.join(map(repr, arguments))})"
        if key not in self.calls:
            raise LookupError(f"{key} is not in the recording")
        answer = self.calls[key]
        if "error" in answer:
            raise pynvml.NVMLError(answer["error"])
        return _revived(answer["result"])


def _revived(value: Any) -> Any:
    if isinstance(value, list):
        return [_revived(part) for part in value]
    if isinstance(value, dict) and "handle" in value:
        return Handle(value["handle"])
    if isinstance(value, dict):
        return SimpleNamespace(**{name: _revived(part) for name, part in value["struct"].items()})
    return value
