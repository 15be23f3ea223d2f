"""Records what NVML on this machine answers to every question that fitguard asks.

    python scripts/record_nvml.py tests/facts/recordings/h200.json

Needs Python 3.11 or later, pynvml.py (nvidia-ml-py) and nothing else. Serial numbers are left out.
"""

import ctypes
import importlib.util
import json
import sys
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

SOURCE = Path(__file__).resolve().parent.parent / "src"
MAKES_HANDLE = frozenset({"nvmlDeviceGetHandleByIndex", "nvmlEventSetCreate"})
REDACTED = frozenset({"nvmlDeviceGetUUID"})


class Recorder:
    """Stands before NVML's binding and notes each call with its answer or its error."""

    def __init__(self, nvml: Any) -> None:
        self.calls: dict[str, dict[str, Any]] = {}
        self._nvml = nvml
        # Of GPUs, then of the set of events; each with its number.
        self._handles: list[tuple[Any, int]] = []

    def __dir__(self) -> list[str]:
        return dir(self._nvml)

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self._nvml, name)
        is_question = name.startswith("nvml") and callable(attribute)
        return partial(self._call, name, attribute) if is_question else attribute

    def _call(self, name: str, function: Any, *arguments: Any) -> Any:
        key = f"{name}({', '.join(self._written(argument) for argument in arguments)})"
        try:
            result = function(*arguments)
        except self._nvml.NVMLError as error:
            self.calls[key] = {"error": error.value}
            raise
        if name in MAKES_HANDLE:
            # The same question gives another object for the same GPU.
            answer = self.calls.get(key) or {"result": {"handle": self._count_handles()}}
            self._handles.append((result, answer["result"]["handle"]))
            self.calls[key] = answer
        else:
            self.calls[key] = {"result": "redacted" if name in REDACTED else plain(result)}
        if name == "nvmlSystemGetProcessName":
            self.calls[key] = {"result": Path(result).name}
        return result

    def _written(self, argument: Any) -> str:
        for handle, number in self._handles:
            if argument is handle:
                return f"gpu{number}"
        return repr(argument)

    def _count_handles(self) -> int:
        return len({number for _, number in self._handles})


def plain(value: Any) -> Any:
    """A result of the binding as JSON can hold it."""
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if isinstance(value, list | tuple | ctypes.Array):
        return [plain(part) for part in value]
    if isinstance(value, ctypes.Structure | ctypes.Union):
        names = [field[0] for field in value._fields_]
        return {"struct": {name: plain(getattr(value, name)) for name in names}}
    if hasattr(value, "__dict__"):
        return {"struct": {name: plain(part) for name, part in vars(value).items()}}
    return value


def stand_in_for_msgspec() -> None:
    """Lets fitguard's schema be imported where msgspec is not installed."""

    class Struct:
        def __init_subclass__(cls, **options: Any) -> None:
            pass

        def __init__(self, *values: Any, **named: Any) -> None:
            names = list(type(self).__annotations__)
            self.__dict__.update(zip(names, values, strict=False), **named)

    module = ModuleType("msgspec")
    module.Struct = Struct  # type: ignore[attr-defined]
    sys.modules["msgspec"] = module


def main() -> None:
    """Records, and writes to the file that is named or to standard output."""
    sys.path.insert(0, str(SOURCE))
    if importlib.util.find_spec("msgspec") is None:
        stand_in_for_msgspec()
    import pynvml

    from fitguard.facts import nvml
    from fitguard.monitor.sampling.gpus import GpuReader
    from fitguard.monitor.sampling.xids import XidWatch

    recorder = Recorder(pynvml)
    facts = nvml.ask(recorder)
    reader = GpuReader(load=lambda: recorder)
    reader.read(())
    XidWatch(reader, lambda _: None).wait_for(1.0)
    recording = {
        "about": "Recorded by scripts/record_nvml.py; UUIDs are redacted.",
        "calls": recorder.calls,
    }
    text = json.dumps(recording, indent=1) + "\n"
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(text)
    else:
        print(text, end="")
    print(f"{len(facts.gpus or ())} GPUs, {len(recorder.calls)} calls", file=sys.stderr)


if __name__ == "__main__":
    main()
